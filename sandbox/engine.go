package sandbox

import (
	"context"
	"io"

	"drydock/sandbox/wire"
)

// Engine starts containers. The Docker one is in sandbox/docker.
type Engine interface {
	// Start makes a container that runs the guest as its first process, and
	// starts it. The caller owns the container and must remove it.
	Start(ctx context.Context, spec Spec) (Container, error)
}

// Spec is a container to start.
type Spec struct {
	RunID  string // names the container and labels it
	Policy Policy
	Setup  wire.Setup
}

// Container is a started container.
type Container interface {
	// Stream is the guest's stdin and stdout.
	Stream() io.ReadWriteCloser
	// State says whether the container can still answer, as far as the engine
	// knows. It returns soon after its context has ended.
	State(ctx context.Context) State
	// Remove ends the container and all that belongs to it. It may be called
	// again, and succeeds when the container is gone already.
	Remove(ctx context.Context) error
}

// State is what an engine knows of a container.
type State struct {
	// Stopped means that the container cannot answer: it has ended, is paused, or
	// is gone.
	Stopped bool
	// Idle means that it runs and nothing in it has used a processor since the
	// question before, a moment ago. A first process that is silent then is not
	// waiting for its turn.
	Idle bool
	// Unknown means that the engine did not say.
	Unknown bool
	// Text describes the state for a person, in a few words.
	Text string
}
