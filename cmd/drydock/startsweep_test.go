package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime"
	"drydock/sandbox/docker"
)

type fakeSweeper func(context.Context) (docker.Leftovers, error)

func (f fakeSweeper) Sweep(ctx context.Context, _ docker.SweepOptions) (docker.Leftovers, error) {
	return f(ctx)
}

// swept plays the start of a run whose sweep ends at once, and gives what was
// recorded and shown.
func swept(t *testing.T, quiet bool, left docker.Leftovers, err error) (log, shown string) {
	t.Helper()
	var events, stderr bytes.Buffer
	j := &job{streams: Streams{Err: &stderr}, flags: runFlags{quiet: quiet}}
	onEvent, end := j.sweepAtStart(t.Context(), fakeSweeper(func(context.Context) (docker.Leftovers, error) { return left, err }))
	warned := make(chan struct{}, 1)
	j.recorder = runtime.NewRecorder("id", &events, onEvent, func(e runtime.Event) {
		if _, ok := e.Data.(runtime.Warning); ok {
			warned <- struct{}{}
		}
	})
	j.recorder.Emit(runtime.RunStarted{})
	if err != nil {
		<-warned // the end would silence it
	}
	end()
	return events.String(), stderr.String()
}

func TestSweepAtStartSaysWhatItRemoved(t *testing.T) {
	removed := docker.Leftovers{{Fate: docker.FateRemoved}, {Fate: docker.FateKept}, {Fate: docker.FateRemoved}}
	log, shown := swept(t, false, removed, nil)
	assert.Equal(t, shown, "removed 2 sandbox(es) that killed runs had left\n")
	assert.Assert(t, !strings.Contains(log, "warning"))
	_, shown = swept(t, true, removed, nil)
	assert.Equal(t, shown, "")
	_, shown = swept(t, false, nil, nil)
	assert.Equal(t, shown, "")
}

func TestSweepAtStartWarnsWhenItCannot(t *testing.T) {
	log, _ := swept(t, true, nil, errors.New("no\nway"))
	assert.Assert(t, strings.Contains(log, `"type":"warning","text":"remove what killed runs left: no; way"`), log)
}

// A run that ends is not held up, and nobody is told of what was given up.
func TestSweepAtStartEndsWithTheRun(t *testing.T) {
	j := &job{streams: Streams{Err: &bytes.Buffer{}}}
	began := make(chan struct{})
	onEvent, end := j.sweepAtStart(t.Context(), fakeSweeper(func(ctx context.Context) (docker.Leftovers, error) {
		close(began)
		<-ctx.Done()
		return nil, ctx.Err()
	}))
	var events bytes.Buffer
	j.recorder = runtime.NewRecorder("id", &events, onEvent)
	j.recorder.Emit(runtime.RunStarted{})
	<-began
	end()
	assert.Assert(t, !strings.Contains(events.String(), "warning"))
}
