// Command chaos kills many drydock runs at random moments and looks for what
// they leave behind: on the engine, among the temporary files and in the
// directories of the runs. After one drydock gc nothing may be left.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"text/tabwriter"
	"time"
)

func main() {
	var o options
	flag.StringVar(&o.drydock, "drydock", "bin/drydock", "program to kill")
	flag.IntVar(&o.runs, "runs", 200, "runs to kill")
	flag.IntVar(&o.workers, "workers", 4, "runs at a time")
	flag.DurationVar(&o.within, "within", 2*time.Second, "latest moment of a kill, from the start of the run")
	flag.DurationVar(&o.settle, "settle", 5*time.Second, "time for sandboxes to go by themselves before gc")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "seed of the moments")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := chaos(ctx, os.Stdout, o)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "chaos: %v\n", err)
		os.Exit(1)
	}
}

type options struct {
	drydock        string
	runs, workers  int
	within, settle time.Duration
	seed           uint64
}

// errLeft means that something is left after the sweep.
var errLeft = errors.New("something is left")

// vanish is how long what others made on the engine may take to go: they cannot
// be told from what runs made there.
const vanish = 15 * time.Second

// chaos kills the runs, sweeps once, and prints how much was left at each point.
func chaos(ctx context.Context, out io.Writer, o options) error {
	var err error
	if o.drydock, err = filepath.Abs(o.drydock); err != nil {
		return fmt.Errorf("find drydock: %w", err)
	}
	engine, err := dialEngine()
	if err != nil {
		return err
	}
	home, err := newHome()
	if err != nil {
		return err
	}
	defer os.RemoveAll(home.dir)
	look := func() (inventory, error) { return take(ctx, engine, home) }
	before, err := look()
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "seed %d: %d runs, %d at a time, each killed within %s\n", o.seed, o.runs, o.workers, o.within)
	if err := killAll(ctx, home, o); err != nil {
		return err
	}
	atEnd, err := look()
	if err != nil {
		return err
	}
	settled, err := await(ctx, look, before, o.settle)
	if err != nil {
		return err
	}
	said, took, err := home.gc(ctx, o.drydock)
	if err != nil {
		return err
	}
	swept, err := await(ctx, look, before, 0)
	if err == nil && len(swept.beyond(before)) > 0 && swept.own() == before.own() {
		swept, err = await(ctx, look, before, vanish)
	}
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "killed: %s\n", home.stages(o.runs))
	if err := printInventories(out, []string{"BEFORE", "AFTER THE KILLS", "SETTLED", "AFTER GC"}, before, atEnd, settled, swept); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "gc took %s: %s\n", took.Round(time.Millisecond), said)
	if left := swept.beyond(before); len(left) > 0 {
		return fmt.Errorf("%w: %v", errLeft, left)
	}
	return nil
}

// await looks until nothing is left or the time is up.
func await(ctx context.Context, look func() (inventory, error), before inventory, limit time.Duration) (inventory, error) {
	for began := time.Now(); ; {
		now, err := look()
		if err != nil || time.Since(began) >= limit || len(now.beyond(before)) == 0 {
			return now, err
		}
		select {
		case <-ctx.Done():
			return now, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func printInventories(out io.Writer, titles []string, all ...inventory) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprint(w, "WHAT")
	for _, title := range titles {
		_, _ = fmt.Fprintf(w, "\t%s", title)
	}
	for _, kind := range kinds {
		_, _ = fmt.Fprintf(w, "\n%s", kind)
		for _, i := range all {
			_, _ = fmt.Fprintf(w, "\t%d", len(i[kind]))
		}
	}
	_, _ = fmt.Fprintln(w)
	return w.Flush()
}
