// Package terminate is the tool by which a model ends the run.
package terminate

import (
	"context"
	_ "embed" // for the description
	"encoding/json"
	"fmt"

	"drydock/tools"
)

// Name is the name under which models know this tool.
const Name = "terminate"

const example = `{"status": "success", "answer": "The test passes now."}`

//go:embed description.md
var description string

// Tool ends the run.
type Tool struct{}

type args struct {
	Status string `json:"status" jsonschema:"How the task ended: success or failure."`
	Answer string `json:"answer,omitempty" jsonschema:"The final answer or a short summary for the person."`
}

// Spec describes the tool.
func (Tool) Spec() tools.Spec {
	return tools.Spec{Name: Name, Description: description, Parameters: tools.Schema[args](), Example: example}
}

// Run notes the model's verdict.
func (Tool) Run(_ context.Context, raw json.RawMessage) (tools.Result, error) {
	var a args
	if err := tools.Decode(raw, &a); err != nil {
		return tools.Rejected("terminate: "+err.Error()+".", example), nil
	}
	if a.Status != "success" && a.Status != "failure" {
		return tools.Rejected(fmt.Sprintf("terminate: status is %q; it must be success or failure.", a.Status), example), nil
	}
	return tools.Result{
		Status: tools.StatusOK,
		Text:   "The run ends with status " + a.Status + ".",
		Final:  &tools.Final{Success: a.Status == "success", Answer: a.Answer},
	}, nil
}
