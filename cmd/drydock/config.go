package main

import (
	"github.com/spf13/cobra"
)

func newConfigCmd(streams Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Look at the configuration, and check it",
		Long: `Look at the configuration as a run would have it, with where each value came from,
and check the files.

The strongest layer wins: flag, environment, the profile chosen with --profile,
drydock.toml in the current directory or the file given with --config, the
user's file, default.`,
	}
	cmd.AddCommand(newConfigShowCmd(streams), newConfigValidateCmd(streams), newConfigSchemaCmd(streams))
	return cmd
}
