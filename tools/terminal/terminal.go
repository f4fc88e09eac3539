// Package terminal is the tool that uses programs on a terminal.
package terminal

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
const Name = "terminal"

const example = `{"action": "send", "session": "t1", "text": "print(1)", "keys": ["Enter"]}`

//go:embed description.md
var description string

// Terminals is what the tool needs of a sandbox.
type Terminals interface {
	Terminal(ctx context.Context, path string, req wire.TerminalRequest) (wire.TerminalAnswer, error)
	Policy() sandbox.Policy
}

// Tool uses programs on the terminals of a sandbox.
type Tool struct{ box Terminals }

// New makes the tool for a sandbox.
func New(box Terminals) *Tool { return &Tool{box: box} }

// Spec describes the tool.
func (t *Tool) Spec() tools.Spec {
	text := description + fmt.Sprintf("\nLimits: %d sessions; a wait takes %s unless timeout says otherwise, at most %s.\n",
		wire.MaxTerminals, usualWait, t.box.Policy().MaxTimeout)
	return tools.Spec{Name: Name, Description: text, Parameters: tools.Schema[args](), Example: example}
}

// Run does one action.
func (t *Tool) Run(ctx context.Context, raw json.RawMessage) (tools.Result, error) {
	var a args
	err := tools.Decode(raw, &a)
	if err == nil {
		err = a.check()
	}
	if err != nil {
		return tools.Rejected("terminal: "+err.Error()+".", example), nil
	}
	req := a.request(t.box.Policy().MaxTimeout)
	began := time.Now()
	answer, err := t.box.Terminal(ctx, paths[a.Action], req)
	var call *sandbox.CallError
	if errors.As(err, &call) {
		if call.Code == wire.CodeInvalid || call.Code == wire.CodeNotFound {
			return tools.Rejected("terminal: "+call.Message+".", example), nil
		}
		return tools.Failed("terminal: " + call.Message + "."), nil
	}
	if err != nil {
		return tools.Result{Status: tools.StatusLost}, err
	}
	res := tools.Result{Status: tools.StatusOK, Duration: time.Since(began)}
	if a.Action == "list" {
		res.Text = tools.DescribeSessions(answer.Sessions)
		return res, nil
	}
	res.Screen = &tools.Screen{TerminalAnswer: answer, Wanted: a.WaitFor, Limit: req.Until.Timeout, Stop: a.Action == "stop"}
	res.Status = status(answer, a)
	return res, nil
}

// status tells the end of a session and a text that did not come.
func status(answer wire.TerminalAnswer, a args) tools.Status {
	switch {
	case answer.Reason == wire.TerminalTimeout && a.WaitFor != "":
		return tools.StatusTimeout
	case a.Action != "stop" && !answer.Info.Running && answer.Info.ExitCode != 0:
		return tools.StatusExitNonzero
	}
	return tools.StatusOK
}
