package replay

import (
	"context"
	"errors"
	"fmt"

	"drydock/runtime"
	"drydock/runtime/llm"
	"drydock/runtime/llm/script"
)

// Model plays the answers of the run. When they run out where the recorded run
// itself came no further, the run ends with runtime.ReasonReplayed; otherwise
// that is an error.
func (r *Run) Model() llm.Model {
	if r.script != nil {
		return player{r, r.script}
	}
	answers := make([]llm.Response, 0, len(r.Turns))
	for _, t := range r.Turns {
		answers = append(answers, t.Response)
	}
	return player{r, script.Play(r.Name, answers)}
}

type player struct {
	run   *Run
	inner llm.Model
}

func (p player) Complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	resp, err := p.inner.Complete(ctx, req)
	var end *script.EndError
	if !errors.As(err, &end) {
		return resp, err
	}
	if p.run.openEnded() {
		return resp, &runtime.EndError{Reason: runtime.ReasonReplayed, Detail: "the recorded run came no further"}
	}
	return resp, &RanOutError{Run: p.run.Name, Turn: end.Turns + 1, Asked: end.Asked}
}

// openEnded says whether the run ended in a way that its answers do not bring
// about again.
func (r *Run) openEnded() bool {
	switch {
	case r.script != nil:
		return false
	case r.End == nil:
		return true
	}
	return r.End.Reason != runtime.ReasonDone && r.End.Reason != runtime.ReasonGaveUp
}

// RanOutError means that a replay needs more answers than there are: it went
// another way than the recorded run.
type RanOutError struct {
	Run   string
	Turn  int    // that was asked for, from 1
	Asked string // what the model was told, in full
}

// maxAsked is how many bytes of what was asked the message repeats.
const maxAsked = 300

func (e *RanOutError) Error() string {
	asked := e.Asked
	if len(asked) > maxAsked {
		asked = asked[:maxAsked] + "…"
	}
	return fmt.Sprintf("%s: the record has %d answer(s), and the replay asks for turn %d after %q: it went another way than the recorded run",
		e.Run, e.Turn-1, e.Turn, asked)
}
