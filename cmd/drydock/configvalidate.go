package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drydock/cmd/config"
	"drydock/cmd/suggest"
)

func newConfigValidateCmd(streams Streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "validate [FILE]", Short: "Check the configuration files without doing anything",
		Long: `Check the files that a run would read, or those and FILE in place of the project's:
names, types, ranges, agents, MCP servers, flags of commands, and every profile.
The exit code is 2 when anything is wrong; each mistake is a line on standard
error. No key is read, and nobody is asked.`,
		Example: `  drydock config validate
  drydock config validate ci/drydock.toml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if err := cmd.Flags().Set("config", args[0]); err != nil {
					return usageError{err}
				}
			}
			files, problems := validate(cmd, streams)
			return tellProblems(streams, files, problems, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	config.AddFlags(cmd.Flags())
	completeSettings(cmd)
	return cmd
}

// validate checks the configuration as it is, and with each of its profiles.
func validate(cmd *cobra.Command, streams Streams) ([]config.Origin, []error) {
	cfg, err := loadConfig(cmd)
	problems := each(err)
	if len(problems) == 0 {
		problems = append(problems, checkUse(cmd, streams, cfg)...)
	}
	problems = append(problems, checkCommands(cmd.Root(), cfg.Commands)...)
	for _, name := range cfg.Profiles {
		if cmd.Flags().Changed("profile") {
			break
		}
		problems = append(problems, checkProfile(cmd, streams, name)...)
	}
	return cfg.Files, unique(problems)
}

func checkProfile(cmd *cobra.Command, streams Streams, name string) []error {
	sources, err := configSources(cmd)
	if err != nil {
		return each(err)
	}
	sources.Profile = name
	cfg, _, err := config.Load(sources)
	if err == nil {
		return checkUse(cmd, streams, cfg)
	}
	return each(err)
}

// checkUse checks what only those can say who use the settings.
func checkUse(cmd *cobra.Command, streams Streams, cfg config.Config) []error {
	var problems []error
	preset, err := loadPreset(cfg.Run.Agent, cfg.Run.Tools)
	problems = append(problems, each(err)...)
	if cfg.Sandbox.Image == "" {
		cfg.Sandbox.Image = preset.Image
	}
	if err == nil {
		problems = append(problems, each(cfg.Sandbox.Validate())...)
	}
	_, err = mcpServers(cmd, streams, cfg, nil)
	return append(problems, each(err)...)
}

// checkCommands checks the names below [commands]; values are checked when a
// command is given them.
func checkCommands(root *cobra.Command, files []config.CommandFlags) []error {
	var problems []error
	for _, file := range files {
		problems = append(problems, checkTable(root, file, "commands", file.Values)...)
	}
	return problems
}

func checkTable(cmd *cobra.Command, file config.CommandFlags, key string, values map[string]any) []error {
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(values)) {
		sub := subcommand(cmd, name)
		table, isTable := values[name].(map[string]any)
		switch {
		case isTable && sub != nil:
			problems = append(problems, checkTable(sub, file, key+"."+name, table)...)
		case isTable:
			problems = append(problems, &config.Error{
				Where: file.Origin.Where, Key: key + "." + name,
				Reason: "there is no such command" + suggest.DidYouMean(name, commandNames(cmd)),
			})
		default:
			own := ownFlags(cmd)
			if flagOfKey(own, name) == nil {
				problems = append(problems, noSuchFlag(own, file, key, name))
			}
		}
	}
	return problems
}

// each takes a joined error apart.
func each(err error) []error {
	var joined interface{ Unwrap() []error }
	switch {
	case err == nil:
		return nil
	case errors.As(err, &joined):
		return joined.Unwrap()
	}
	return []error{err}
}

func unique(problems []error) []error {
	seen := map[string]bool{}
	return slices.DeleteFunc(problems, func(err error) bool {
		known := seen[err.Error()]
		seen[err.Error()] = true
		return known
	})
}

// validated is the result with --json.
type validated struct {
	OK       bool     `json:"ok"`
	Files    []string `json:"files"`
	Problems []string `json:"problems"`
}

func tellProblems(streams Streams, files []config.Origin, problems []error, asJSON bool) error {
	result := validated{OK: len(problems) == 0, Files: []string{}, Problems: []string{}}
	for _, f := range files {
		result.Files = append(result.Files, f.Where)
	}
	for _, p := range problems {
		result.Problems = append(result.Problems, oneLine(p))
	}
	if asJSON {
		if err := json.NewEncoder(streams.Out).Encode(result); err != nil {
			return fmt.Errorf("print the result: %w", err)
		}
	} else {
		for _, p := range result.Problems {
			_, _ = fmt.Fprintf(streams.Err, "drydock: %s\n", p)
		}
	}
	if !result.OK {
		return codeError(exitUsage)
	}
	if !asJSON {
		_, err := fmt.Fprintln(streams.Out, rightFiles(files))
		return err
	}
	return nil
}

func rightFiles(files []config.Origin) string {
	if len(files) == 0 {
		return "no configuration file is there; the defaults hold"
	}
	var names []string
	for _, f := range files {
		names = append(names, oneLineOf(f.String()))
	}
	return "right: " + strings.Join(names, ", ")
}
