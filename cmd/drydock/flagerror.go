package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"drydock/cmd/suggest"
)

// flagError says what is wrong with a flag in words of this program.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() != "":
		err = fmt.Errorf("there is no flag -%s", unknown.GetSpecifiedName())
	case errors.As(err, &unknown):
		name := "--" + unknown.GetSpecifiedName()
		err = fmt.Errorf("there is no flag %s%s", name, suggest.DidYouMean(name, flagNames(cmd)))
	case errors.As(err, &invalid):
		err = errors.New(invalidValue(invalid.GetValue(), invalid.GetFlag()))
	case errors.As(err, &missing):
		err = fmt.Errorf("--%s needs a value", missing.GetFlag().Name)
	}
	return usageError{fmt.Errorf("%w; see '%s --help'", err, cmd.CommandPath())}
}

func flagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	return names
}
