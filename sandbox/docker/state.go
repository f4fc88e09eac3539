package docker

import (
	"context"
	"fmt"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"

	"drydock/sandbox"
)

// ending waits for a container to end. The engine forgets the exit code with the
// container, which it removes at once.
type ending struct {
	forget context.CancelFunc
	begun  chan struct{} // closed when an end can no longer be missed
	done   chan struct{} // closed when the container has ended
	state  container.State
}

// lastLook bounds the question how a container ended, and the wait for it after
// the stream has.
const lastLook = 500 * time.Millisecond

// awaitEnding is to be called before the container starts. Its request to the
// engine lives until the container ends or is forgotten.
func (e *Engine) awaitEnding(id string) *ending {
	ctx, cancel := context.WithCancel(context.Background())
	end := &ending{forget: cancel, begun: make(chan struct{}), done: make(chan struct{})}
	go func() {
		results, errs := e.cli.ContainerWait(ctx, id, container.WaitConditionNextExit)
		close(end.begun)
		select {
		case result := <-results:
			end.state = container.State{Status: "exited", ExitCode: int(result.StatusCode)}
			end.addDetails(ctx, e, id)
			close(end.done)
		case <-errs: //nolint:errcheck // forgotten, or the engine is gone
		}
	}()
	return end
}

// addDetails asks for what the exit code does not say, if there is still someone
// to ask.
func (w *ending) addDetails(ctx context.Context, e *Engine, id string) {
	ctx, cancel := context.WithTimeout(ctx, lastLook)
	defer cancel()
	if info, err := e.cli.ContainerInspect(ctx, id); err == nil && info.State != nil && !info.State.Running {
		w.state.OOMKilled, w.state.Error = info.State.OOMKilled, info.State.Error
	}
}

// awaitBegin waits until an end can no longer be missed; an engine that is slow
// to say so must not keep the container from starting.
func (w *ending) awaitBegin(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lastLook)
	defer cancel()
	select {
	case <-w.begun:
	case <-ctx.Done():
	}
}

// seen gives the end, waiting a while for it.
func (w *ending) seen(ctx context.Context, wait time.Duration) (container.State, bool) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	select {
	case <-w.done:
		return w.state, true
	case <-ctx.Done():
		return container.State{}, false
	}
}

// State says what the engine knows of the container, and the last words of the
// guest, if it had any.
func (c *Container) State(ctx context.Context) sandbox.State {
	state := c.state(ctx)
	if said := c.stream.lastWords(); said != "" {
		state.Text += "; its last words: " + said
	}
	return state
}

func (c *Container) state(ctx context.Context) sandbox.State {
	if c.stream.hasEnded() { // the container ends with it; the engine is a little behind
		if end, ok := c.ending.seen(ctx, lastLook); ok {
			return sandbox.State{Stopped: true, Text: describeEnd(&end)}
		}
	}
	info, err := c.inspect(ctx)
	switch {
	case errdefs.IsNotFound(err):
		if end, ok := c.ending.seen(ctx, lastLook); ok {
			return sandbox.State{Stopped: true, Text: describeEnd(&end)}
		}
		return sandbox.State{Stopped: true, Text: "removed"}
	case err != nil || info.State == nil:
		return sandbox.State{Unknown: true, Text: "unknown, the engine does not answer"}
	case info.State.Paused:
		return sandbox.State{Stopped: true, Text: "paused"}
	case info.State.Running:
		return sandbox.State{Idle: !c.stream.hasEnded() && c.load.isIdle(ctx, c), Text: info.State.Status}
	}
	return sandbox.State{Stopped: true, Text: describeEnd(info.State)}
}

// inspectLimit bounds a look at the container; an engine that takes longer is
// as good as gone.
const inspectLimit = time.Second

func (c *Container) inspect(ctx context.Context) (container.InspectResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, inspectLimit)
	defer cancel()
	return retried(ctx, again, func() (container.InspectResponse, error) { return c.engine.cli.ContainerInspect(ctx, c.id) })
}

func describeEnd(s *container.State) string {
	text := fmt.Sprintf("%s (%d)", s.Status, s.ExitCode)
	if s.OOMKilled {
		text += ", out of memory"
	}
	if s.Error != "" {
		text += ", " + s.Error
	}
	return text
}
