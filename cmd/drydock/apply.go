package main

import (
	"errors"
	"fmt"
	"os"

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
			return applyPatch(cmd, streams, args[0], dir, dryRun)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only check whether the patch fits")
	cmd.Flags().StringVar(&dir, "to", "", "`directory` to change (default: the run's --repo)")
	config.AddFlags(cmd.Flags(), "run.runs_dir")
	return cmd
}

func applyPatch(cmd *cobra.Command, streams Streams, name, dir string, dryRun bool) error {
	cfg, err := loadConfig(cmd)
	if err != nil {
		return err
	}
	run, err := runtime.FindRunDir(cfg.Run.RunsDir, name)
	if err != nil {
		return usageError{err}
	}
	if dir, err = applyTo(run, dir); err != nil {
		return err
	}
	patch, err := os.Stat(run.File(runtime.PatchFile))
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("run %s left no patch: it did not come so far, or is not over", run.ID)
	}
	if err != nil {
		return fmt.Errorf("apply run %s: %w", run.ID, err)
	}
	err = workspace.Apply(cmd.Context(), dir, run.File(runtime.PatchFile), workspace.ApplyOptions{DryRun: dryRun})
	if err != nil {
		return fmt.Errorf("apply run %s: %w", run.ID, err)
	}
	what := "applied to"
	switch {
	case patch.Size() == 0:
		what = "is empty and changes nothing in"
	case dryRun:
		what = "fits"
	}
	_, _ = fmt.Fprintf(streams.Err, "the patch of run %s %s %s\n", run.ID, what, dir)
	return nil
}

// applyTo is the directory to change: the one asked for, or the run's own.
func applyTo(run runtime.RunDir, asked string) (string, error) {
	if asked != "" {
		return asked, nil
	}
	record, err := run.ReadRecord()
	if err != nil {
		return "", err
	}
	if record.Repo == "" {
		return "", usageError{errors.New("the run had no --repo; name the directory with --to")}
	}
	return record.Repo, nil
}
