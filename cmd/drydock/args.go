package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"drydock/cmd/suggest"
)

// usageArgs makes wrong arguments a usage error that says where to look. It is
// the first thing that is called of a command, so it also sets the flags that
// come from elsewhere.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	if check == nil {
		check = cobra.ArbitraryArgs
	}
	return func(cmd *cobra.Command, args []string) error {
		if err := setOwnFlags(cmd); err != nil {
			return err
		}
		if err := check(cmd, args); err != nil {
			return usageError{fmt.Errorf("%w; see '%s --help'", err, cmd.CommandPath())}
		}
		return nil
	}
}

// noArgs is for commands without arguments. On one that only holds others, an
// argument is a mistyped command.
func noArgs(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasAvailableSubCommands():
		return unknownCommand(cmd, args[0])
	}
	return fmt.Errorf("%s takes no arguments, but was given %q", cmd.Name(), args[0])
}

func unknownCommand(parent *cobra.Command, name string) error {
	names := commandNames(parent)
	hint := suggest.DidYouMean(name, names)
	if hint == "" {
		hint = "; there are " + strings.Join(names, ", ")
	}
	path := strings.TrimPrefix(parent.CommandPath()+" ", parent.Root().Name()+" ")
	return fmt.Errorf("there is no command %q%s", path+name, hint)
}

func commandNames(cmd *cobra.Command) []string {
	var names []string
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	return names
}

// oneTask explains what people forget: the quotes.
func oneTask(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return errors.New("the task must be one argument; put it in quotes")
	}
	return nil
}

func oneRun(_ *cobra.Command, args []string) error {
	switch {
	case len(args) == 0 || args[0] == "":
		return errors.New("say which run, by its id or directory")
	case len(args) > 1:
		return fmt.Errorf("one run at a time; %q is too much", args[1])
	}
	return nil
}

// knownImages accepts the names of drydock's own images.
func knownImages(names []string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		for _, arg := range args {
			if err := oneOf("image", arg, names); err != nil {
				return err
			}
		}
		return nil
	}
}

// oneOf refuses a name that is not among those there are.
func oneOf(what, name string, names []string) error {
	for _, n := range names {
		if n == name {
			return nil
		}
	}
	return fmt.Errorf("there is no %s %q; there are %s%s", what, name, strings.Join(names, " and "), suggest.DidYouMean(name, names))
}
