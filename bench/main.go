// Command bench measures drydock's sandbox against the engine's own interface
// in one run on one machine, and prints ratios: absolute times depend on the
// machine, ratios much less.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

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
	subject, err := newSubject(ctx, engine, image)
	if err != nil {
		return err
	}
	table, err := compareCalls(ctx, subject, bare, image, calls)
	if err != nil {
		return err
	}
	bounds, err := measureBounds(ctx, subject)
	if err != nil {
		return err
	}
	if err := subject.box.Close(ctx); err != nil {
		return err
	}
	ready, err := compareStarts(ctx, engine, bare, image, starts)
	if err != nil {
		return err
	}
	return printTables(append(table, ready), bounds)
}
