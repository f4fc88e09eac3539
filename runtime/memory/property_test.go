package memory_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime/llm"
	"drydock/runtime/memory"
)

// Whatever a model and its tools say, whatever a server counts, and wherever it
// refuses: each request is one that no provider refuses, has the task in it, and
// fits, or the run is told that nothing fits.
func TestEveryRequestIsValidHasTheTaskAndFits(t *testing.T) {
	t.Parallel()
	full := 0
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 1))
		if err := converse(t.Context(), r); errors.Is(err, memory.ErrFull) {
			full++
		} else if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	assert.Assert(t, full < 60, "%d of 120 conversations did not fit, so little was tested", full)
}

const theTask = "the task, which is never lost ☂"

func converse(ctx context.Context, r *rand.Rand) error {
	m := memory.New("system "+text(r, 200), theTask)
	o := memory.Options{Window: []int{0, 1000 + r.IntN(3000), 4000 + r.IntN(60_000)}[r.IntN(3)], Summary: summaries[r.IntN(len(summaries))]}
	if r.IntN(2) == 0 {
		o.Suffix = "go on"
	}
	if err := m.Bound(o); err != nil {
		return nil // too small to begin; another test is about that
	}
	for n := range 10 + r.IntN(50) {
		if r.IntN(5) == 0 {
			m.SetPlan(fmt.Sprintf("plan %d: %s", n, text(r, 100)))
		}
		if _, err := m.Fit(ctx); err != nil {
			return err
		}
		if err := inspect(m, o); err != nil {
			return err
		}
		if r.IntN(15) == 0 && m.Tokens() > 3000 { // the server refuses
			before := m.Tokens()
			if _, err := m.Compact(ctx); err != nil {
				return err
			}
			if err := inspect(m, o); err != nil || m.Tokens() >= before {
				return fmt.Errorf("compacted from %d to %d: %w", before, m.Tokens(), err)
			}
		}
		m.Measure(llm.Usage{InputTokens: []int{0, -5, 1 << 60, m.Tokens() / 2, m.Tokens() * 2, m.Tokens()}[r.IntN(6)]})
		m.Add(randomTurn(r, n)...)
	}
	return nil
}

func inspect(m *memory.Memory, o memory.Options) error {
	messages := m.Messages()
	if err := memory.Validate(messages); err != nil {
		return err
	}
	if !strings.HasPrefix(messages[1].Text, theTask) || messages[0].Role != llm.RoleSystem {
		return errors.New("the start is gone")
	}
	if o.Window > 0 && m.Tokens() > o.Window*3/4 {
		return fmt.Errorf("%d tokens in a window of %d", m.Tokens(), o.Window)
	}
	return nil
}

// randomTurn is an answer with its results and what may be said after them.
func randomTurn(r *rand.Rand, n int) []llm.Message {
	answer := llm.Message{Role: llm.RoleAssistant, Text: text(r, 300)}
	calls := []int{0, 1, 1, 1, 2, 5, 100}[r.IntN(7)]
	if calls == 100 && r.IntN(5) > 0 {
		calls = 1
	}
	list := []llm.Message{}
	for i := range calls {
		id := fmt.Sprintf("call_%d_%d", n, i)
		answer.ToolCalls = append(answer.ToolCalls, llm.ToolCall{ID: id, Name: "bash", Arguments: fmt.Sprintf("{%q:%q}", "command", text(r, 500))})
		list = append(list, llm.Message{Role: llm.RoleTool, ToolCallID: id, Text: text(r, []int{0, 10, 500, 8000}[r.IntN(4)])})
	}
	list = append([]llm.Message{answer}, list...)
	if r.IntN(6) == 0 {
		images := make([]llm.Image, 1+r.IntN(3))
		for i := range images {
			images[i] = llm.Image{MIME: "image/png", Data: []byte(text(r, 100) + "x")}
		}
		list = append(list, llm.Message{Role: llm.RoleUser, Text: "images", Images: images})
	}
	if calls == 0 || r.IntN(6) == 0 {
		list = append(list, llm.Message{Role: llm.RoleUser, Text: "go on"})
	}
	return list
}

// text is of up to so many characters, plain or not.
func text(r *rand.Rand, most int) string {
	alphabet := []string{"a", "b ", "\n", "function(x)"}
	if r.IntN(3) == 0 {
		alphabet = []string{"ä", "漢", "😀", "\xff", "e\u0301"}
	}
	var b strings.Builder
	for range r.IntN(most + 1) {
		b.WriteString(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

// speaker is a model that answers each request the same.
type speaker struct {
	resp llm.Response
	err  error
}

func (s speaker) Complete(context.Context, llm.Request) (llm.Response, error) { return s.resp, s.err }

func says(text string) speaker {
	return speaker{resp: llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Text: text}, Usage: llm.Usage{InputTokens: 7, OutputTokens: 3}}}
}

var summaries = []llm.Model{
	nil, says("it was found that a is b"), says(strings.Repeat("much too long ", 10_000)), says(" \n"),
	speaker{err: &llm.Error{Kind: llm.KindOverloaded, Usage: llm.Usage{InputTokens: 1}}},
}
