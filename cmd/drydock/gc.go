package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	units "github.com/docker/go-units"
	"github.com/spf13/cobra"

	"drydock/cmd/config"
	"drydock/internal/scratch"
	"drydock/runtime"
	"drydock/sandbox/docker"
)

// longAge is how old a running sandbox of an unknown owner has to be for --all,
// where nothing else is said.
const longAge = 24 * time.Hour

func newGCCmd(streams Streams) *cobra.Command {
	var opts docker.SweepOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Remove what killed runs left behind",
		Long: `Remove what drydock made and nobody needs any more: sandboxes whose drydock is
gone, images with drydock's guest in them whose own image has gone or changed,
temporary directories and half-written files of killed runs.

What belongs to a drydock that still runs is never touched. A sandbox of which
that cannot be known, because its drydock is on another machine or in another
container, is named and kept; --all removes it, too, if it does not run or is
older than --older-than. Runs that ended are kept, with all they recorded.`,
		Example: `  drydock gc --dry-run
  drydock gc --all --older-than 2h`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			return withEngine(cmd.Context(), func(e *docker.Engine) error {
				list, err := collect(cmd.Context(), e, cfg.Run.RunsDir, opts)
				if asJSON {
					return errors.Join(json.NewEncoder(streams.Out).Encode(list), err)
				}
				return errors.Join(printLeftovers(streams, list), err)
			})
		},
	}
	cmd.Flags().BoolVar(&opts.DryRun, "dry-run", false, "only say what would be removed")
	cmd.Flags().BoolVar(&opts.All, "all", false, "remove sandboxes of unknown owners, too")
	cmd.Flags().DurationVar(&opts.OlderThan, "older-than", longAge, "with --all: age from which one is removed although it runs")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	config.AddFlags(cmd.Flags(), "run.runs_dir")
	return cmd
}

// leftover is one thing that nobody needs any more, on the engine or on this
// machine.
type leftover struct {
	Kind   string      `json:"kind"` // container, image or path
	Name   string      `json:"name"`
	ID     string      `json:"id,omitempty"`
	Run    string      `json:"run,omitempty"`
	Fate   docker.Fate `json:"fate"`
	Reason string      `json:"reason"`
	Age    int64       `json:"age_s"` // 0 where not known, as is the size
	Size   int64       `json:"bytes"`
}

// collect sweeps everywhere. The list holds what was found, also when there is
// an error.
func collect(ctx context.Context, engine *docker.Engine, runs string, opts docker.SweepOptions) ([]leftover, error) {
	list := []leftover{}
	swept, err := engine.Sweep(ctx, opts)
	for _, l := range swept {
		list = append(list, leftover{
			Kind: l.Kind, Name: l.Name, ID: l.ID, Run: l.Run, Fate: l.Fate, Reason: l.Reason,
			Age: int64(l.Age.Seconds()), Size: l.Size,
		})
	}
	temporary, err2 := scratch.Sweep(os.TempDir(), opts.DryRun)
	halfWritten, err3 := runtime.SweepRuns(runs, opts.DryRun)
	for _, l := range append(temporary, halfWritten...) {
		list = append(list, fromScratch(l, opts.DryRun))
	}
	return list, errors.Join(err, err2, err3)
}

func fromScratch(l scratch.Left, dryRun bool) leftover {
	fate := docker.FateKept
	switch {
	case l.Removed:
		fate = docker.FateRemoved
	case dryRun && l.Removable:
		fate = docker.FateDoomed
	}
	return leftover{Kind: "path", Name: l.Path, Fate: fate, Reason: l.Reason, Age: int64(l.Age.Seconds()), Size: l.Size}
}

// printLeftovers prints a line for each and one for all. Names and reasons come
// from labels, which anybody may have written.
func printLeftovers(streams Streams, list []leftover) error {
	w := tabwriter.NewWriter(streams.Out, 0, 4, 2, ' ', 0)
	for _, l := range list {
		about := oneLineOf(l.Reason)
		if l.Age > 0 {
			about += ", " + units.HumanDuration(time.Duration(l.Age)*time.Second) + " old"
		}
		if l.Size > 0 {
			about += ", " + units.HumanSize(float64(l.Size))
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", strings.ReplaceAll(string(l.Fate), "_", " "), l.Kind, oneLineOf(l.Name), about)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print leftovers: %w", err)
	}
	if _, err := fmt.Fprintln(streams.Out, summarize(list)); err != nil {
		return fmt.Errorf("print leftovers: %w", err)
	}
	return nil
}

func summarize(list []leftover) string {
	if len(list) == 0 {
		return "nothing is left over"
	}
	count, size := map[docker.Fate]int{}, map[docker.Fate]int64{}
	for _, l := range list {
		count[l.Fate]++
		size[l.Fate] += l.Size
	}
	var parts []string
	for _, p := range []struct {
		fate        docker.Fate
		what, freed string
	}{
		{docker.FateRemoved, "removed", " freed"}, {docker.FateDoomed, "would be removed", ""}, {docker.FateKept, "kept", ""},
	} {
		if count[p.fate] == 0 {
			continue
		}
		part := fmt.Sprintf("%d %s", count[p.fate], p.what)
		if size[p.fate] > 0 {
			part += fmt.Sprintf(" (%s%s)", units.HumanSize(float64(size[p.fate])), p.freed)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}
