// Command bench measures drydock's sandbox against the engine's own interface
// in one run on one machine, and prints ratios: absolute times depend on the
// machine, ratios much less.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"text/tabwriter"

	"drydock/sandbox"
	"drydock/sandbox/docker"
)

func main() {
	image := flag.String("image", "drydock/base:latest", "image to measure with")
	calls := flag.Int("calls", 300, "calls through drydock; the slower engine gets a tenth")
	starts := flag.Int("starts", 15, "sandboxes to start")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, *image, *calls, *starts)
	if cleanup := sandbox.Default().Cleanup(ctx); err == nil {
		err = cleanup
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

// comparison is one line of the table: the same thing done in two ways.
type comparison struct {
	what            string
	drydock, engine samples
	// faster is how many times faster drydock should be at least; slower how
	// many times as long it may take at most. One of them is set.
	faster, slower float64
}

func run(ctx context.Context, image string, calls, starts int) error {
	engine, err := docker.Connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = engine.Close() }()
	bare, err := dialEngine(engine.Info().Host)
	if err != nil {
		return err
	}
	table, err := compareCalls(ctx, engine, bare, image, calls)
	if err != nil {
		return err
	}
	ready, err := compareStarts(ctx, engine, bare, image, starts)
	if err != nil {
		return err
	}
	return printTable(append(table, ready))
}

func printTable(table []comparison) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "WHAT\tDRYDOCK p50\tp95\tENGINE p50\tp95\tRATIO\tTARGET\t")
	missed := false
	for _, c := range table {
		ratio := float64(c.engine.quantile(0.5)) / float64(c.drydock.quantile(0.5))
		text, target, met := fmt.Sprintf("%.0fx faster", ratio), fmt.Sprintf(">= %.0fx", c.faster), ratio >= c.faster
		if c.slower > 0 {
			ratio = 1 / ratio
			text, target, met = fmt.Sprintf("%.2fx as long", ratio), fmt.Sprintf("<= %.1fx", c.slower), ratio <= c.slower
		}
		if !met {
			target += " (missed)"
			missed = true
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", c.what,
			c.drydock.text(0.5), c.drydock.text(0.95), c.engine.text(0.5), c.engine.text(0.95), text, target)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print table: %w", err)
	}
	if missed {
		return errors.New("a target was missed")
	}
	return nil
}

func mustJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // only ever called with strings
	}
	return string(raw)
}
