package agents

import (
	"context"
	"errors"
	"fmt"

	"drydock/runtime"
	"drydock/runtime/llm"
)

// ask sends the conversation. Where it no longer fits the model's window, old
// large observations are shortened and it is sent once more. What was billed is
// returned also when no usable answer came.
func (a *Agent) ask(ctx context.Context) (llm.Response, llm.Usage, error) {
	resp, err := a.model.Complete(ctx, a.request())
	if err == nil {
		return resp, resp.Billed(), nil
	}
	var failed *llm.Error
	if !errors.As(err, &failed) || failed.Kind != llm.KindContextOverflow {
		return resp, billed(err), err
	}
	cut := a.shorten()
	if cut == 0 {
		return resp, billed(err), err
	}
	a.emit(runtime.Warning{Text: fmt.Sprintf("the conversation no longer fit the model; %d old observations were shortened", cut)})
	resp, err = a.model.Complete(ctx, a.request())
	if err != nil {
		return resp, billed(err), err
	}
	return resp, resp.Billed(), nil
}

func billed(err error) llm.Usage {
	var failed *llm.Error
	if errors.As(err, &failed) {
		return failed.Usage
	}
	return llm.Usage{}
}

// What shorten leaves alone: the newest messages, and small observations.
const (
	keepNewest  = 8
	keepPerCall = 600
)

// shorten cuts old tool results. Messages stay in place, so that every call
// keeps its answer.
func (a *Agent) shorten() int {
	cut := 0
	for i := range max(0, len(a.memory)-keepNewest) {
		m := &a.memory[i]
		if m.Role == llm.RoleTool && len(m.Text) > 2*keepPerCall {
			m.Text = m.Text[:keepPerCall] + "\n[… shortened: this is an old observation; repeat the call to see it again …]\n"
			cut++
		}
		if len(m.Images) > 0 {
			m.Images, m.Text = nil, m.Text+" (They were taken out to save space.)"
			cut++
		}
	}
	return cut
}
