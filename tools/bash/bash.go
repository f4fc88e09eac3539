// Package bash is the tool that runs shell commands.
package bash

import (
	"context"
	_ "embed" // for the description
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"drydock/sandbox"
	"drydock/sandbox/wire"
	"drydock/tools"
)

// Name is the name under which models know this tool.
const Name = "bash"

const example = `{"command": "ls -l", "timeout": 30}`

//go:embed description.md
var description string

// Shell is what the tool needs of a sandbox.
type Shell interface {
	Shell(ctx context.Context, command string, limit time.Duration, restart bool) (wire.Result, error)
	Hello() wire.Hello
	Policy() sandbox.Policy
}

// Tool runs commands in a sandbox's persistent shell.
type Tool struct{ shell Shell }

// New makes the tool for a sandbox.
func New(shell Shell) *Tool { return &Tool{shell: shell} }

type args struct {
	Command string  `json:"command,omitempty" jsonschema:"The command or script to run."`
	Timeout float64 `json:"timeout,omitempty" jsonschema:"Seconds the command may take. A longer one is cut to the configured maximum."`
	Restart bool    `json:"restart,omitempty" jsonschema:"Start a fresh shell first. The command may then be left out."`
}

// Spec describes the tool.
func (t *Tool) Spec() tools.Spec {
	text := description
	if is := t.shell.Hello().ShellIs; is != "" && is != "bash" {
		text += "\nThis image has no bash: commands run in a plain POSIX " + is + ", without arrays, [[ ]], process substitution and other features of bash.\n"
	}
	p := t.shell.Policy()
	text += fmt.Sprintf("\nTime limit: %s unless timeout says otherwise, at most %s.\n", p.Timeout, p.MaxTimeout)
	return tools.Spec{Name: Name, Description: text, Parameters: tools.Schema[args](), Example: example}
}

// Run runs one command.
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
	if a.Command == "" {
		a.Command = ":"
	}
	res, err := t.shell.Shell(ctx, a.Command, limit, a.Restart)
	var call *sandbox.CallError
	if errors.As(err, &call) {
		return tools.Failed("bash: " + call.Message + "."), nil
	}
	if err != nil {
		return tools.Result{Status: tools.StatusLost}, err
	}
	return tools.FromRun(res, limit, t.shell.Policy()), nil
}

func rejected(err error) tools.Result {
	return tools.Rejected("bash: "+err.Error()+".", example)
}

// check says what is wrong with arguments that are there.
func (a args) check() error {
	switch {
	case a.Command == "" && !a.Restart:
		return errors.New("command is missing or empty; give the command to run")
	case strings.ContainsRune(a.Command, 0):
		return errors.New("command holds a NUL character, which no shell can take")
	case len(a.Command) > wire.MaxCommand:
		return fmt.Errorf("command is %d bytes; the limit is %d. Write large content with str_replace_editor", len(a.Command), wire.MaxCommand)
	}
	return nil
}
