package editor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"drydock/tools"
)

// Tool offers an Editor to a model.
type Tool struct {
	editor *Editor
	schema json.RawMessage
}

// NewTool makes the tool over the files of a sandbox.
func NewTool(files Files, opts Options) (*Tool, error) {
	schema, err := Schema()
	if err != nil {
		return nil, err
	}
	return &Tool{editor: New(files, opts), schema: schema}, nil
}

// Spec describes the tool.
func (t *Tool) Spec() tools.Spec {
	return tools.Spec{Name: Name, Description: Description(), Parameters: t.schema, Example: example("")}
}

// Run does one edit or view.
func (t *Tool) Run(ctx context.Context, raw json.RawMessage) (tools.Result, error) {
	args, err := Decode(raw)
	if err != nil {
		return tools.Rejected(fmt.Sprintf("%s: %v", Name, err), example(args.Command)), nil
	}
	answer, err := t.editor.Run(ctx, args)
	if err != nil {
		return tools.Result{Status: tools.StatusLost}, errors.Join(err, ctx.Err())
	}
	res := tools.Result{Status: tools.Status(answer.Status), Text: answer.Text}
	for _, img := range answer.Images {
		res.Images = append(res.Images, tools.Image{MIME: img.MIME, Data: img.Data})
	}
	return res, nil
}

// example shows arguments of the right form for a command.
func example(command string) string {
	switch command {
	case CommandView:
		return `{"command": "view", "path": "src/main.py", "view_range": [10, 25]}`
	case CommandCreate:
		return `{"command": "create", "path": "src/main.py", "file_text": "print(1)\n"}`
	case CommandInsert:
		return `{"command": "insert", "path": "src/main.py", "insert_line": 12, "new_str": "x = 1"}`
	case CommandUndo:
		return `{"command": "undo_edit", "path": "src/main.py"}`
	}
	return `{"command": "str_replace", "path": "src/main.py", "old_str": "x = 1", "new_str": "x = 2"}`
}
