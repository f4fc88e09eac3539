// Package python is the tool that runs Python code.
package python

import (
	"context"
	_ "embed" // for the description
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"drydock/sandbox"
	"drydock/sandbox/wire"
	"drydock/tools"
)

// Name is the name under which models know this tool.
const Name = "python_execute"

//go:embed description.md
var description string

// Interpreter is what the tool needs of a sandbox.
type Interpreter interface {
	Python(ctx context.Context, code string, limit time.Duration, reset bool) (wire.Result, error)
	Policy() sandbox.Policy
}

// Tool runs code in a sandbox's persistent interpreter.
type Tool struct{ python Interpreter }

// New makes the tool for a sandbox.
func New(python Interpreter) *Tool { return &Tool{python: python} }

type args struct {
	Code    string  `json:"code,omitempty" jsonschema:"The Python code to run."`
	Timeout float64 `json:"timeout,omitempty" jsonschema:"Seconds the code may take. A longer one is cut to the configured maximum."`
	Reset   bool    `json:"reset,omitempty" jsonschema:"Start a fresh interpreter first. The code may then be left out."`
}

// Spec describes the tool.
func (t *Tool) Spec() tools.Spec {
	p := t.python.Policy()
	text := description + fmt.Sprintf("\nTime limit: %s unless timeout says otherwise, at most %s.\n", p.Timeout, p.MaxTimeout)
	return tools.Spec{Name: Name, Description: text, Parameters: tools.Schema[args]()}
}

// Run runs one piece of code.
func (t *Tool) Run(ctx context.Context, raw json.RawMessage) (tools.Result, error) {
	var a args
	if err := tools.Decode(raw, &a); err != nil {
		return tools.Rejected("python_execute: " + err.Error() + "."), nil
	}
	limit, err := tools.Seconds(a.Timeout)
	switch {
	case err != nil:
		return tools.Rejected("python_execute: " + err.Error() + "."), nil
	case a.Code == "" && !a.Reset:
		return tools.Rejected("python_execute: code is missing or empty; give the code to run."), nil
	case len(a.Code) > wire.MaxCommand:
		return tools.Rejected(fmt.Sprintf("python_execute: code is %d bytes; the limit is %d.", len(a.Code), wire.MaxCommand)), nil
	}
	res, err := t.python.Python(ctx, a.Code, limit, a.Reset)
	var call *sandbox.CallError
	if errors.As(err, &call) {
		return tools.Failed("python_execute: " + call.Message + "."), nil
	}
	if err != nil {
		return tools.Result{Status: tools.StatusLost}, err
	}
	p := t.python.Policy()
	if limit <= 0 {
		limit = p.Timeout
	}
	return tools.FromRun(res, min(limit, p.MaxTimeout)), nil
}
