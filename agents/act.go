package agents

import (
	"context"
	"strings"

	"drydock/runtime"
	"drydock/runtime/llm"
	"drydock/tools"
)

// Answers to calls that are not run. Every call gets an answer, because no
// provider accepts a conversation with an open one.
const (
	notRunFinished  = "Not run: the run had ended before this call."
	notRunStopped   = "Not run: the run was interrupted."
	notRunReplaced  = "Not run: the sandbox was replaced before this call."
	notRunTruncated = "Not run: your answer was cut off by the output limit, so this call may be incomplete. Send it again, in smaller parts."
)

// act runs a turn's calls in order and answers each.
func (a *Agent) act(ctx context.Context, resp llm.Response, step *runtime.Step) error {
	var images []llm.Image
	parts := []string{}
	var failure error
	replaced := false
	for _, call := range resp.Message.ToolCalls {
		reason := a.skip(ctx, resp, step, failure)
		if reason == "" && replaced { // the call was meant for what is gone
			reason = notRunReplaced
		}
		if reason != "" {
			a.reply(call, reason)
			continue
		}
		step.ToolCalls++
		res, err := a.perform(ctx, call)
		if err != nil {
			failure = err
			a.reply(call, notRunStopped)
			continue
		}
		replaced = res.Status == tools.StatusLost
		text := tools.Render(res, a.preset.ObservationLimit)
		a.reply(call, text)
		images = append(images, pictures(res)...)
		parts = append(parts, call.Name, call.Arguments, text)
		if a.finish.IsSpecial(call.Name, a.finish.Names) {
			step.Done = a.finish.ShouldFinish(call.Name, res)
			if step.Done != nil && step.Done.Answer == "" {
				// Models often say the answer beside the call that ends the run, or
				// in the turn before.
				step.Done.Answer = strings.TrimSpace(a.memory.LastText())
			}
		}
	}
	a.show(images)
	step.Fingerprint = fingerprint(parts...)
	return failure
}

// skip says why a call is not run, "" if it is.
func (a *Agent) skip(ctx context.Context, resp llm.Response, step *runtime.Step, failure error) string {
	switch {
	case step.Done != nil:
		return notRunFinished
	case failure != nil || ctx.Err() != nil:
		return notRunStopped
	case resp.FinishReason == llm.FinishLength:
		return notRunTruncated
	}
	return ""
}

// perform runs one call and records it.
func (a *Agent) perform(ctx context.Context, call llm.ToolCall) (tools.Result, error) {
	a.emit(runtime.ToolStarted{ID: call.ID, Name: call.Name, Args: asJSON(call.Arguments)})
	res, err := a.tools.Call(ctx, call.Name, call.Arguments)
	done := completed(call.ID, call.Name, res, a.preset.ObservationLimit, err, err != nil && ctx.Err() != nil)
	if res.Program != nil {
		done.Raw = a.keepRaw(res)
	}
	a.emit(done)
	return res, err
}

// completed is a call's end as events tell it. The output is cut to limit bytes.
func completed(id, name string, res tools.Result, limit int, err error, interrupted bool) runtime.ToolCompleted {
	done := runtime.ToolCompleted{
		ID: id, Name: name, Status: string(res.Status), DurationMS: res.Duration.Milliseconds(),
		Images: len(res.Images), Repaired: res.Repaired,
	}
	switch {
	case interrupted:
		done.Status = "interrupted"
	case err != nil:
		done.Status, done.Output = string(tools.StatusLost), err.Error()
	default:
		done.Output = tools.Render(res, limit)
	}
	if p := res.Program; p != nil {
		done.ExitCode, done.Bytes, done.Dropped = &p.ExitCode, p.Total, p.Dropped
	}
	return done
}

// keepRaw keeps what a program printed where the event does not show it as it
// was. That it cannot be kept ends nothing.
func (a *Agent) keepRaw(res tools.Result) *runtime.RawOutput {
	if a.outputs == nil || tools.ShownExactly(res, a.preset.ObservationLimit) {
		return nil
	}
	raw, err := a.outputs.Keep(res.Program.Head, res.Program.Tail)
	if err != nil {
		a.emit(runtime.Warning{Text: err.Error()})
	}
	return raw
}

func (a *Agent) reply(call llm.ToolCall, text string) {
	a.memory.Add(llm.Message{Role: llm.RoleTool, Text: text, ToolCallID: call.ID})
}
