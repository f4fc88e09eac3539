package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"drydock/cmd/config"
	"drydock/cmd/suggest"
)

// Settings have a variable and a key of their own. Every other flag of a command
// has them by its name: --repo of run is DRYDOCK_RUN_REPO, and repo below
// [commands.run].

// ownFlags are the flags of a command that are no settings.
func ownFlags(cmd *cobra.Command) []*pflag.Flag {
	var own []*pflag.Flag
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if config.SectionOf(f) == "" && !config.Chooses(f) && f.Name != "help" && f.Name != "version" {
			own = append(own, f)
		}
	})
	return own
}

// flagVariable is the environment variable of a command's own flag.
func flagVariable(cmd *cobra.Command, f *pflag.Flag) string {
	words := append(commandWords(cmd), strings.ReplaceAll(f.Name, "-", "_"))
	return strings.ToUpper("drydock_" + strings.ReplaceAll(strings.Join(words, "_"), "-", "_"))
}

// commandWords is how a command is called, without the program's name.
func commandWords(cmd *cobra.Command) []string {
	return strings.Fields(strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()))
}

// tellVariables adds its variable to the help of each own flag.
func tellVariables(cmd *cobra.Command) {
	for _, f := range ownFlags(cmd) {
		f.Usage += " [" + flagVariable(cmd, f) + "]"
	}
}

// setOwnFlags gives a command the values of its own flags that were not given on
// the command line: of the environment, else of the configuration files.
func setOwnFlags(cmd *cobra.Command) error {
	own := ownFlags(cmd)
	for _, f := range own {
		if value := os.Getenv(flagVariable(cmd, f)); value != "" && !f.Changed {
			if err := setFlag(cmd, f, words(f, value), flagVariable(cmd, f)); err != nil {
				return err
			}
		}
	}
	if len(own) == 0 {
		return nil
	}
	cfg, err := loadConfig(cmd)
	if err != nil {
		return nil //nolint:nilerr // whoever needs the configuration tells what is wrong with it
	}
	return setFromFiles(cmd, own, cfg.Commands)
}

// words splits a variable: a flag that can be repeated has one value a line.
func words(f *pflag.Flag, value string) []string {
	if _, many := f.Value.(pflag.SliceValue); many {
		return strings.FieldsFunc(value, func(r rune) bool { return r == '\n' })
	}
	return []string{value}
}

// setFromFiles looks the flags up, in the strongest file first.
func setFromFiles(cmd *cobra.Command, own []*pflag.Flag, files []config.CommandFlags) error {
	for _, file := range slices.Backward(files) {
		table, err := commandTable(cmd, file)
		if err != nil {
			return err
		}
		for _, key := range slices.Sorted(maps.Keys(table)) {
			if _, isCommand := table[key].(map[string]any); isCommand {
				continue
			}
			if err := setFromFile(cmd, own, file, key, table[key]); err != nil {
				return err
			}
		}
	}
	return nil
}

func setFromFile(cmd *cobra.Command, own []*pflag.Flag, file config.CommandFlags, key string, value any) error {
	f := flagOfKey(own, key)
	if f == nil {
		return noSuchFlag(own, file, commandTableKey(cmd), key)
	}
	if f.Changed {
		return nil
	}
	spelled, err := config.Words(value)
	if err != nil {
		return &config.Error{Where: file.Origin.Where, Key: commandKey(cmd, key), Reason: err.Error()}
	}
	if _, many := f.Value.(pflag.SliceValue); !many && len(spelled) != 1 {
		return &config.Error{Where: file.Origin.Where, Key: commandKey(cmd, key), Reason: "it must be one value, not an array"}
	}
	return setFlag(cmd, f, spelled, file.Origin.Where+": "+commandKey(cmd, key))
}

func noSuchFlag(own []*pflag.Flag, file config.CommandFlags, table, key string) error {
	return &config.Error{
		Where: file.Origin.Where, Key: table + "." + key,
		Reason: "there is no such flag" + suggest.DidYouMean(key, keysOf(own)),
	}
}

func commandKey(cmd *cobra.Command, key string) string {
	return commandTableKey(cmd) + "." + key
}

func commandTableKey(cmd *cobra.Command) string {
	return strings.Join(append([]string{"commands"}, commandWords(cmd)...), ".")
}

// commandTable is what a file says of a command.
func commandTable(cmd *cobra.Command, file config.CommandFlags) (map[string]any, error) {
	table := file.Values
	for i, word := range commandWords(cmd) {
		next, ok := table[word]
		if !ok {
			return nil, nil
		}
		if table, ok = next.(map[string]any); !ok {
			key := strings.Join(append([]string{"commands"}, commandWords(cmd)[:i+1]...), ".")
			return nil, &config.Error{Where: file.Origin.Where, Key: key, Reason: "it must be a table: write [" + key + "]"}
		}
	}
	return table, nil
}

func flagOfKey(own []*pflag.Flag, key string) *pflag.Flag {
	for _, f := range own {
		if strings.ReplaceAll(f.Name, "-", "_") == key {
			return f
		}
	}
	return nil
}

func keysOf(own []*pflag.Flag) []string {
	var keys []string
	for _, f := range own {
		keys = append(keys, strings.ReplaceAll(f.Name, "-", "_"))
	}
	return keys
}

// setFlag sets a flag as the command line would.
func setFlag(cmd *cobra.Command, f *pflag.Flag, values []string, where string) error {
	for _, value := range values {
		if err := cmd.Flags().Set(f.Name, value); err != nil {
			return usageError{errors.New(where + ": " + invalidValue(value, f))}
		}
	}
	return nil
}

func invalidValue(value string, f *pflag.Flag) string {
	return fmt.Sprintf("%q is not a value of --%s, which is a %s", value, f.Name, f.Value.Type())
}
