package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"drydock/cmd/config"
	"drydock/cmd/suggest"
)

// showFlags choose what config show prints.
type showFlags struct {
	origin, changed, asJSON bool
}

func newConfigShowCmd(streams Streams) *cobra.Command {
	var flags showFlags
	cmd := &cobra.Command{
		Use: "show [KEY...]", Short: "Show what is configured, and where it comes from",
		Long: `Show what is configured: every setting, or those whose keys or sections are named.
Keys are not shown, and of variables for the sandbox only the names.`,
		Example: `  drydock config show --origin
  drydock config show sandbox run.timeout
  drydock config show --changed --profile ci`,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, origins, err := loadOrigins(cmd)
			if err != nil {
				return err
			}
			entries, err := chosenEntries(config.Entries(cfg, origins), args)
			if err != nil {
				return usageError{err}
			}
			return printEntries(streams, flags.filter(entries), flags)
		},
		ValidArgsFunction: completeKeys,
	}
	f := cmd.Flags()
	f.BoolVar(&flags.origin, "origin", false, "show where each value comes from")
	f.BoolVar(&flags.changed, "changed", false, "show only what is not the default")
	f.BoolVar(&flags.asJSON, "json", false, "print as JSON, with origins")
	config.AddFlags(f)
	completeSettings(cmd)
	return cmd
}

func (f showFlags) filter(entries []config.Entry) []config.Entry {
	if !f.changed {
		return entries
	}
	var changed []config.Entry
	for _, e := range entries {
		if !e.Default {
			changed = append(changed, e)
		}
	}
	return changed
}

// chosenEntries are those with one of the keys, or below one of them.
func chosenEntries(all []config.Entry, keys []string) ([]config.Entry, error) {
	if len(keys) == 0 {
		return all, nil
	}
	var chosen []config.Entry
	for _, key := range keys {
		found := false
		for _, e := range all {
			if e.Key == key || strings.HasPrefix(e.Key, key+".") {
				chosen, found = append(chosen, e), true
			}
		}
		if !found {
			return nil, fmt.Errorf("nothing has the key %q%s", key, suggest.DidYouMean(key, entryKeys(all)))
		}
	}
	return chosen, nil
}

func entryKeys(all []config.Entry) []string {
	var keys []string
	for _, e := range all {
		section, _, _ := strings.Cut(e.Key, ".")
		keys = append(keys, e.Key, section)
	}
	return keys
}

func completeKeys(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var keys []string
	for _, s := range config.Settings() {
		keys = append(keys, s.Key())
	}
	return keys, cobra.ShellCompDirectiveNoFileComp
}

// shownEntry is an entry with --json.
type shownEntry struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`          // the layer
	Where  string `json:"where,omitempty"` // file, variable or flag
}

func shownEntries(entries []config.Entry) []shownEntry {
	list := []shownEntry{}
	for _, e := range entries {
		list = append(list, shownEntry{e.Key, e.Value, e.Origin.Layer.String(), e.Origin.Where})
	}
	return list
}

func printEntries(streams Streams, entries []config.Entry, flags showFlags) error {
	if flags.asJSON {
		return json.NewEncoder(streams.Out).Encode(shownEntries(entries))
	}
	w := tabwriter.NewWriter(streams.Out, 0, 4, 2, ' ', 0)
	for _, e := range entries {
		line := e.Key + "\t" + oneLineOf(e.Value)
		if flags.origin {
			line += "\t" + oneLineOf(e.Origin.String())
		}
		_, _ = fmt.Fprintln(w, line)
	}
	return w.Flush()
}

func newConfigSchemaCmd(streams Streams) *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print a JSON Schema of configuration files, for editors", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			schema, err := config.Schema()
			if err != nil {
				return err
			}
			_, err = streams.Out.Write(schema)
			return err
		},
	}
}
