package agents

import (
	"context"
	"errors"
	"fmt"

	"drydock/runtime"
	"drydock/runtime/llm"
	"drydock/runtime/memory"
)

// Why part of a conversation gave way.
const (
	trimWindow  = "window"
	trimRefused = "refused"
)

// ask sends the conversation, made to fit. Where the server still finds it too
// long, it is made much smaller and sent once more. What was billed on the way is
// added to the step, also when no usable answer came.
func (a *Agent) ask(ctx context.Context, n int, step *runtime.Step) (llm.Response, error) {
	trim, err := a.memory.Fit(ctx)
	a.trimmed(n, trimWindow, trim, step)
	if err != nil {
		return llm.Response{}, a.full(err)
	}
	resp, err := a.send(ctx, step)
	if !tooLong(err) {
		return resp, err
	}
	trim, failed := a.memory.Compact(ctx)
	a.trimmed(n, trimRefused, trim, step)
	switch {
	case failed != nil:
		return llm.Response{}, a.full(failed)
	case !trim.Any():
		return llm.Response{}, a.full(memory.ErrFull)
	}
	if resp, err = a.send(ctx, step); tooLong(err) {
		return llm.Response{}, a.full(fmt.Errorf("%w: %w", memory.ErrFull, err))
	}
	return resp, err
}

// send asks the model, after a last look at what it is sent.
func (a *Agent) send(ctx context.Context, step *runtime.Step) (llm.Response, error) {
	req := llm.Request{Messages: a.memory.Messages(), Tools: a.offers(), ToolChoice: a.preset.ToolChoice}
	if err := memory.Validate(req.Messages); err != nil {
		return llm.Response{}, fmt.Errorf("the conversation is not valid, which is a mistake in drydock: %w", err)
	}
	resp, err := a.model.Complete(ctx, req)
	if err != nil {
		a.bill(step, billed(err), a.bounds.Facts.Prices)
		return resp, err
	}
	a.memory.Measure(resp.Usage)
	a.bill(step, resp.Billed(), a.bounds.Facts.Prices)
	if resp.Usage.InputTokens <= 0 && resp.Usage.OutputTokens <= 0 {
		guess := a.memory.Estimate(resp.Message)
		step.Estimated = step.Estimated.Add(guess)
		step.Cost += price(guess, a.bounds.Facts.Prices)
	}
	return resp, nil
}

// full ends the run where the conversation cannot be made to fit. Any other error
// is left as it is.
func (a *Agent) full(err error) error {
	if !errors.Is(err, memory.ErrFull) {
		return err
	}
	a.emit(runtime.Warning{Text: err.Error()})
	return &runtime.EndError{Reason: runtime.ReasonContext, Detail: err.Error()}
}

// trimmed records what gave way, and counts what the summary took.
func (a *Agent) trimmed(n int, why string, t memory.Trim, step *runtime.Step) {
	if !t.Any() {
		return
	}
	usage := a.bill(step, t.Usage, a.bounds.SummaryPrices)
	event := runtime.MemoryTrimmed{
		Turn: n, Why: why, Before: t.Before, After: t.After,
		Shortened: t.Shortened, Images: t.Images, Turns: t.Turns, By: t.By, Usage: usage,
	}
	if t.Failed != nil {
		event.Failed = t.Failed.Error()
	}
	a.emit(event)
}

func tooLong(err error) bool {
	var failed *llm.Error
	return errors.As(err, &failed) && failed.Kind == llm.KindContextOverflow
}

func billed(err error) llm.Usage {
	var failed *llm.Error
	if errors.As(err, &failed) {
		return failed.Usage
	}
	return llm.Usage{}
}
