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
	return tools.Spec{Name: Name, Description: Description(), Parameters: t.schema}
}

// Run does one edit or view.
func (t *Tool) Run(ctx context.Context, raw json.RawMessage) (tools.Result, error) {
	args, err := Decode(raw)
	if err != nil {
		return tools.Rejected(fmt.Sprintf("%s: %v", Name, err)), nil
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
