package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"drydock/agents"
	"drydock/runtime"
	"drydock/sandbox"
	"drydock/sandbox/docker"
	"drydock/tools"
)

// subject is the sandbox that is measured, with the tools of an agent.
type subject struct {
	box   *sandbox.Sandbox
	tools *tools.Registry
}

// args are the arguments of a tool call.
type args map[string]any

// newSubject starts a sandbox. Its output limit is out of the way, since the rate
// is measured at which output is taken in.
func newSubject(ctx context.Context, engine *docker.Engine, image string) (*subject, error) {
	policy := sandbox.DefaultPolicy()
	policy.Image, policy.OutputBytes = image, 1<<40
	box, err := sandbox.Default().Create(ctx, engine, "bench-"+runtime.NewRunID(time.Now()), policy)
	if err != nil {
		return nil, err
	}
	registry, err := agents.NewToolbox([]string{"bash", "python_execute", "str_replace_editor"}, box)
	if err != nil {
		return nil, err
	}
	return &subject{box, registry}, nil
}

// call makes a call that must end well.
func (s *subject) call(ctx context.Context, tool string, a args) error {
	return s.end(ctx, tool, a, tools.StatusOK)
}

// end makes a call that must end with a status.
func (s *subject) end(ctx context.Context, tool string, a args, want tools.Status) error {
	raw, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("encode arguments: %w", err)
	}
	res, err := s.tools.Call(ctx, tool, string(raw))
	if err == nil && res.Status != want {
		err = fmt.Errorf("%s %.200s: %s, not %s", tool, raw, res.Status, want)
	}
	return err
}
