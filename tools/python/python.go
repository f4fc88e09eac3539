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

const example = `{"code": "print(1 + 1)", "timeout": 30}`

//go:embed description.md
var description string

// Interpreter is what the tool needs of a sandbox.
type Interpreter interface {
	Python(ctx context.Context, code string, limit time.Duration, reset bool) (wire.Result, error)
	PythonFresh(ctx context.Context, code string, limit time.Duration) (wire.Result, error)
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
	Fresh   bool    `json:"fresh,omitempty" jsonschema:"Run the code in an interpreter of its own that ends with the call, and leave the persistent one alone."`
}

// Spec describes the tool.
func (t *Tool) Spec() tools.Spec {
	p := t.python.Policy()
	text := description + fmt.Sprintf("\nTime limit: %s unless timeout says otherwise, at most %s.\n", p.Timeout, p.MaxTimeout)
	return tools.Spec{Name: Name, Description: text, Parameters: tools.Schema[args](), Example: example}
}

// Run runs one piece of code.
func (t *Tool) Run(ctx context.Context, raw json.RawMessage) (tools.Result, error) {
	var a args
	if err := tools.Decode(raw, &a); err != nil {
		return rejected(err), nil
	}
	limit, err := tools.Seconds(a.Timeout)
	if err == nil {
		err = a.check()
	}
	if err != nil {
		return rejected(err), nil
	}
	res, err := t.execute(ctx, a, limit)
	var call *sandbox.CallError
	if errors.As(err, &call) {
		return tools.Failed("python_execute: " + call.Message + "."), nil
	}
	if err != nil {
		return tools.Result{Status: tools.StatusLost}, err
	}
	return tools.FromRun(res, limit, t.python.Policy()), nil
}

func (t *Tool) execute(ctx context.Context, a args, limit time.Duration) (wire.Result, error) {
	if a.Fresh {
		return t.python.PythonFresh(ctx, a.Code, limit)
	}
	return t.python.Python(ctx, a.Code, limit, a.Reset)
}

func rejected(err error) tools.Result {
	return tools.Rejected("python_execute: "+err.Error()+".", example)
}

// check says what is wrong with arguments that are there.
func (a args) check() error {
	switch {
	case a.Fresh && a.Reset:
		return errors.New("fresh and reset exclude each other: fresh leaves the persistent interpreter alone, reset replaces it")
	case a.Code == "" && !a.Reset:
		return errors.New("code is missing or empty; give the code to run")
	case len(a.Code) > wire.MaxCommand:
		return fmt.Errorf("code is %d bytes; the limit is %d", len(a.Code), wire.MaxCommand)
	}
	return nil
}
