package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"drydock/runtime"
	"drydock/sandbox"
	"drydock/tools"
)

// The tools that hands have of their own.
const (
	patchName = "patch"
	resetName = "reset"
)

// maxPatchText is how much of a patch an answer shows, in bytes.
const maxPatchText = 64 << 10

type noArgs struct{}

// patchTool shows what has changed.
type patchTool struct{ hands *Hands }

// Spec describes the tool.
func (patchTool) Spec() tools.Spec {
	return tools.Spec{
		Name: patchName, Example: "{}", Parameters: tools.Schema[noArgs](),
		Description: "Shows everything that has changed in the workspace since the start, as a unified diff that git apply takes. " +
			"Nothing outside of the sandbox changes. Files that the project's ignore rules name are left out.",
	}
}

// Run compares the workspace with how it went in. What runs in the sandbox goes on.
func (t patchTool) Run(ctx context.Context, raw json.RawMessage) (tools.Result, error) {
	if err := tools.Decode(raw, &noArgs{}); err != nil {
		return tools.Rejected(patchName+": "+err.Error()+".", "{}"), nil
	}
	w := t.hands.work
	if w.lost != nil {
		return tools.Failed(fmt.Sprintf("The sandbox was lost: %v. What was in it is gone.", w.lost)), nil
	}
	patch, err := w.session.writePatch(ctx, w.house.box, w.base)
	var lost *sandbox.LostError
	switch {
	case errors.As(err, &lost):
		w.lost = lost
		return tools.Failed(fmt.Sprintf("The sandbox was lost: %v. Call %s for a new one.", lost, resetName)), nil
	case err != nil && ctx.Err() != nil:
		return tools.Result{}, ctx.Err()
	case err != nil:
		return tools.Failed(fmt.Sprintf("The patch could not be made: %v.", err)), nil
	case len(patch.Bytes) == 0:
		return tools.Result{Status: tools.StatusOK, Text: "[nothing has changed]\n"}, nil
	}
	text := tools.CutMiddle(string(patch.Bytes), maxPatchText)
	if text != string(patch.Bytes) || tools.Clean(patch.Bytes) != text {
		text += fmt.Sprintf("\n[the patch is not shown byte by byte; on the machine that runs the sandbox it is in %s]\n", w.session.Dir.File(runtime.PatchFile))
	}
	for _, note := range patch.Notes {
		text += "[" + note + "]\n"
	}
	text += fmt.Sprintf("[%d file(s); drydock apply %s brings them into the directory they are from]\n", len(patch.Files), w.session.Dir.ID)
	return tools.Result{Status: tools.StatusOK, Text: text}, nil
}

// resetTool begins anew.
type resetTool struct{ hands *Hands }

// Spec describes the tool.
func (resetTool) Spec() tools.Spec {
	return tools.Spec{
		Name: resetName, Example: "{}", Parameters: tools.Schema[noArgs](),
		Description: "Throws the sandbox away, with all changes and everything that runs in it, and makes a new one with the workspace as it was at the start.",
	}
}

// Run replaces the sandbox.
func (t resetTool) Run(ctx context.Context, raw json.RawMessage) (tools.Result, error) {
	if err := tools.Decode(raw, &noArgs{}); err != nil {
		return tools.Rejected(resetName+": "+err.Error()+".", "{}"), nil
	}
	w := t.hands.work
	if err := w.house.replace(ctx, "the client asked for it", "the sandbox was reset"); err != nil {
		w.lost = fmt.Errorf("make a new sandbox: %w", err)
		if ctx.Err() != nil {
			return tools.Result{}, ctx.Err()
		}
		return tools.Failed(fmt.Sprintf("There is no new sandbox: %v. Call %s to try again.", err, resetName)), nil
	}
	w.lost = nil
	t.hands.learn(w.house.tools)
	return tools.Result{Status: tools.StatusOK, Text: "[a new sandbox is ready, with the files as they were at the start]\n"}, nil
}
