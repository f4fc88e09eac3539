package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	units "github.com/docker/go-units"
	"github.com/spf13/cobra"

	"drydock/images"
	"drydock/sandbox/docker"
)

func newImagesCmd(streams Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use: "images", Short: "Build and list drydock's own images",
		Long: `Build and list the images that drydock brings: base (a developer's tools) and
data (base with numpy, pandas, matplotlib, scipy, openpyxl). A run builds or
pulls the image it needs by itself; these commands do it beforehand.`,
	}
	cmd.AddCommand(newImagesBuildCmd(streams), newImagesListCmd(streams))
	return cmd
}

func newImagesBuildCmd(streams Streams) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "build [" + strings.Join(images.Names(), "|") + "]...",
		Short: "Build images whose contents changed, all of them without a name",
		Example: `  drydock images build
  drydock images build base --force`,
		ValidArgs: images.Names(),
		Args:      knownImages(images.Names()),
		RunE: func(cmd *cobra.Command, names []string) error {
			if len(names) == 0 {
				names = images.Names()
			}
			return withEngine(cmd.Context(), func(e *docker.Engine) error {
				return buildImages(cmd.Context(), streams, e, names, force)
			})
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "build even when nothing changed")
	return cmd
}

// withEngine connects to the engine for the time of do.
func withEngine(ctx context.Context, do func(*docker.Engine) error) error {
	engine, err := docker.Connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = engine.Close() }()
	return do(engine)
}

func buildImages(ctx context.Context, streams Streams, engine *docker.Engine, names []string, force bool) error {
	builder := images.NewBuilder(engine, engine.Info().Architecture, version)
	for _, name := range names {
		began := time.Now()
		show := newImageProgress(streams, name)
		result, err := builder.Build(ctx, name, force, show.step)
		show.end()
		if err != nil {
			return err
		}
		what := "is up to date"
		if result.Built {
			what = fmt.Sprintf("built in %s", time.Since(began).Round(time.Second))
		}
		_, _ = fmt.Fprintf(streams.Err, "image %s %s (%s)\n", result.Image.Reference, what, units.HumanSize(float64(result.Image.Size)))
	}
	return nil
}

func newImagesListCmd(streams Streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "Show which images are there and up to date", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withEngine(cmd.Context(), func(e *docker.Engine) error {
				list, err := images.NewBuilder(e, e.Info().Architecture, version).List(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON {
					return json.NewEncoder(streams.Out).Encode(list)
				}
				return printImages(streams, list)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func printImages(streams Streams, list []images.Status) error {
	w := tabwriter.NewWriter(streams.Out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "NAME\tREFERENCE\tSTATE\tSIZE\tBUILT BY")
	for _, s := range list {
		state, size, by := "missing", "", ""
		if s.Present {
			state, size, by = "outdated", units.HumanSize(float64(s.Size)), oneLineOf(s.Version)
		}
		if s.UpToDate {
			state = "up to date"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", s.Name, s.Ref, state, size, by)
	}
	return w.Flush()
}
