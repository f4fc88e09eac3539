package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"drydock/runtime"
	"drydock/sandbox/docker"
)

// sweepLimit bounds the sweep at the start of a run.
const sweepLimit = 2 * time.Second

// sweeper removes what nobody needs any more.
type sweeper interface {
	Sweep(ctx context.Context, opts docker.SweepOptions) (docker.Leftovers, error)
}

// sweepAtStart removes the sandboxes of killed runs beside the start of this
// one, which neither waits for it nor fails by it. It begins with the run's first
// event, so as not to come before it; end gives it up, for the next run to go on.
func (j *job) sweepAtStart(ctx context.Context, engine sweeper) (onEvent func(runtime.Event), end func()) {
	ctx, stop := context.WithCancel(ctx)
	var work sync.WaitGroup
	onEvent = func(e runtime.Event) {
		if _, ok := e.Data.(runtime.RunStarted); ok {
			work.Go(func() { j.sweep(ctx, engine) })
		}
	}
	return onEvent, func() { stop(); work.Wait() }
}

func (j *job) sweep(ctx context.Context, engine sweeper) {
	limited, cancel := context.WithTimeout(ctx, sweepLimit)
	defer cancel()
	left, err := engine.Sweep(limited, docker.SweepOptions{Quick: true})
	if n := left.Count(docker.FateRemoved); n > 0 && !j.flags.quiet {
		p := j.progress()
		p.line("%s", p.style(styleDim, fmt.Sprintf("removed %d sandbox(es) that killed runs had left", n)))
	}
	if err != nil && ctx.Err() == nil {
		j.recorder.Emit(runtime.Warning{Text: "remove what killed runs left: " + oneLine(err)})
	}
}
