package abuse

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// Stage is the sandbox that cases are played in, and the ways to reach it.
type Stage struct {
	*sandbox.Sandbox
	Outside *Outside

	client  *sandbox.Client
	engine  sandbox.Engine
	before  map[string]bool // processes that were there before the case
	base    wire.Stats
	retired bool
}

func openStage(ctx context.Context, r *Runner, policy sandbox.Policy) (*Stage, error) {
	s := &Stage{Outside: r.Outside, client: &r.client, engine: r.Engine}
	box, err := s.client.Create(ctx, s.engine, r.newID(), policy)
	if err != nil {
		return nil, err
	}
	s.Sandbox = box
	if err := s.warm(ctx); err != nil {
		return nil, fmt.Errorf("warm up: %w", err)
	}
	return s, nil
}

// warm starts what a sandbox starts on demand, so that it is there before the
// first case and not taken for something left by it.
func (s *Stage) warm(ctx context.Context) error {
	if _, err := s.Shell(ctx, ":", quickly, false); err != nil {
		return err
	}
	if _, err := s.Python(ctx, "pass", quickly, false); err != nil {
		return err
	}
	if _, err := s.List(ctx, "/", 1, 1); err != nil {
		return err
	}
	st, err := s.Stats(ctx)
	s.base = st
	return err
}

// play runs a case in a fresh shell or interpreter.
func (s *Stage) play(ctx context.Context, c Case) Outcome {
	began := time.Now()
	switch c.Tool {
	case Shell:
		res, err := s.Shell(ctx, c.Input, c.limit(), true)
		return outcomeOf(res, err, began)
	case Interpreter:
		res, err := s.Python(ctx, c.Input, c.limit(), true)
		return outcomeOf(res, err, began)
	case Program:
		res, err := s.Exec(ctx, wire.ExecRequest{Argv: []string{"sh", "-c", c.Input}, Timeout: c.limit()})
		return outcomeOf(res, err, began)
	default:
		out := c.Play(ctx, s)
		out.Took = time.Since(began)
		return out
	}
}

// say runs a command in the persistent shell that must succeed, and gives what
// it printed.
func (s *Stage) say(ctx context.Context, command string) (string, error) {
	res, err := s.Shell(ctx, command, quickly, false)
	if err != nil {
		return "", fmt.Errorf("%.100s: %w", command, err)
	}
	out := outcomeOf(res, nil, time.Now())
	if out.Ending != OK {
		return "", fmt.Errorf("%.100s: %s", command, out.said())
	}
	return strings.TrimSuffix(out.Text(), "\n"), nil
}

// says holds when a command prints that in the sandbox afterwards.
func says(command, want string) Hold {
	return func(ctx context.Context, s *Stage) error {
		got, err := s.say(ctx, command)
		if err == nil && got != want {
			err = fmt.Errorf("afterwards %.100s prints %.200q, want %.200q", command, got, want)
		}
		return err
	}
}

// outcome of a call that a Go case makes.
func outcome(res wire.Result, err error) Outcome { return outcomeOf(res, err, time.Now()) }

// did is the outcome of an operation without a result.
func did(err error) Outcome { return outcomeOf(wire.Result{}, err, time.Now()) }

// broken is the outcome of a case that could not be played or found something
// that must not be.
func broken(format string, args ...any) Outcome {
	return Outcome{Ending: Failed, Err: fmt.Errorf(format, args...)}
}

func (r *Runner) newID() string { return r.Run + "-" + strings.ToLower(rand.Text()[:8]) }
