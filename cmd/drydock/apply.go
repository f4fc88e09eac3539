package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"drydock/cmd/config"
	"drydock/runtime"
	"drydock/runtime/workspace"
)

func newApplyCmd(streams Streams) *cobra.Command {
	var dryRun bool
	var dir string
	cmd := &cobra.Command{
		Use:   "apply RUN",
		Short: "Apply a run's patch to the directory it was made for",
		Long: `Apply the patch of a run to the directory that the run was given, or to another
one. RUN is a run's id, a unique beginning of it, or the path of its directory.
Nothing is changed when any part of the patch does not fit any more.`,
		Example: `  drydock apply --dry-run 20260102
  drydock apply 20260102-150405-abcdef`,
		Args:              oneRun,
		ValidArgsFunction: completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			run, err := runtime.FindRunDir(cfg.Run.RunsDir, args[0])
			if err != nil {
				return usageError{err}
			}
			if dir == "" {
				record, err := run.ReadRecord()
				if err != nil {
					return err
				}
				dir = record.Repo
			}
			if dir == "" {
				return usageError{errors.New("the run had no --repo; name the directory with --to")}
			}
			if err := workspace.Apply(cmd.Context(), dir, run.File(runtime.PatchFile), workspace.ApplyOptions{DryRun: dryRun}); err != nil {
				return fmt.Errorf("apply run %s: %w", run.ID, err)
			}
			verb := "applied to"
			if dryRun {
				verb = "fits"
			}
			_, _ = fmt.Fprintf(streams.Err, "the patch of run %s %s %s\n", run.ID, verb, dir)
			return nil
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only check whether the patch fits")
	cmd.Flags().StringVar(&dir, "to", "", "`directory` to change (default: the run's --repo)")
	config.AddFlags(cmd.Flags(), "run.runs_dir")
	return cmd
}
