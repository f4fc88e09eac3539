package main

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"drydock/agents"
	"drydock/sandbox"
)

// completeSettings offers values where there are only a few.
func completeSettings(cmd *cobra.Command) {
	offer := map[string][]string{
		"agent":   agents.PresetNames(),
		"network": {string(sandbox.NetworkNone), string(sandbox.NetworkFull)},
	}
	for name, values := range offer {
		// It fails only for a flag that is not there or has values already.
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	_ = cmd.MarkFlagDirname("repo")
	_ = cmd.MarkFlagDirname("runs-dir")
}

// completeRuns offers the ids of the runs, the newest first.
func completeRuns(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	cfg, err := loadConfig(cmd)
	if err != nil || len(args) > 0 || strings.ContainsRune(typed, os.PathSeparator) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	entries, err := os.ReadDir(cfg.Run.RunsDir)
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var ids []string
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), typed) {
			ids = append(ids, e.Name())
		}
	}
	slices.Reverse(ids)
	return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
