package agents

import (
	"context"
	"errors"
	"fmt"
	"time"

	"drydock/sandbox"
	"drydock/sandbox/wire"
	"drydock/tools"
	"drydock/tools/editor"
)

// blueprint is a sandbox that is not there yet. Tools over it can be described
// and not be used. It supposes an image with everything.
type blueprint struct{ policy sandbox.Policy }

// describe gives the specs of tools before there is a sandbox.
func describe(names []string, policy sandbox.Policy) ([]tools.Spec, error) {
	registry, err := newToolbox(names, blueprint{policy}, editor.InSandbox(nil))
	if err != nil {
		return nil, fmt.Errorf("describe tools: %w", err)
	}
	return registry.Specs(), nil
}

var errNoSandbox = errors.New("there is no sandbox yet")

func (b blueprint) Hello() wire.Hello {
	return wire.Hello{Shell: "/bin/bash", ShellIs: "bash", Python: "/usr/bin/python3"}
}

func (b blueprint) Policy() sandbox.Policy { return b.policy }

func (blueprint) Shell(context.Context, string, time.Duration, bool) (wire.Result, error) {
	return wire.Result{}, errNoSandbox
}

func (blueprint) Python(context.Context, string, time.Duration, bool) (wire.Result, error) {
	return wire.Result{}, errNoSandbox
}

func (blueprint) PythonFresh(context.Context, string, time.Duration) (wire.Result, error) {
	return wire.Result{}, errNoSandbox
}

func (blueprint) Terminal(context.Context, string, wire.TerminalRequest) (wire.TerminalAnswer, error) {
	return wire.TerminalAnswer{}, errNoSandbox
}
