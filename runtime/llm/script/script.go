// Package script is a language model that plays recorded assistant turns from
// a file. Runs driven by it need no key and no network and always go the same
// way. The file format is described in docs/script-model.md.
package script

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"drydock/runtime/llm"
)

// Model plays its turns in order, one for each call of Complete. It is safe
// for concurrent use, but then the order of the callers decides who gets what.
type Model struct {
	name  string
	turns []turn

	mu   sync.Mutex
	next int // index of the turn to play
}

var _ llm.Model = (*Model)(nil)

// turn is one line of the file.
type turn struct {
	line     int
	expect   []string
	observed []string // when it was recorded
	response llm.Response
}

// Play is a model that plays answers. The name stands for them in errors.
func Play(name string, answers []llm.Response) *Model {
	m := &Model{name: name}
	for i, a := range answers {
		m.turns = append(m.turns, turn{line: i + 1, response: a})
	}
	return m
}

// Turn is a turn as a script has it.
type Turn struct {
	Response llm.Response
	// Observed is what the model was told before this turn: the results of the
	// calls of the turn before, in order, and what the user said. It is empty
	// in a script that was not recorded.
	Observed []string
}

// Turns gives all turns, whether they have been played or not.
func (m *Model) Turns() []Turn {
	turns := make([]Turn, 0, len(m.turns))
	for _, t := range m.turns {
		turns = append(turns, Turn{Response: t.response, Observed: t.observed})
	}
	return turns
}

// Complete gives the next turn. Its errors are an *EndError after the last
// turn, an *ExpectError if the observations are not what the turn expects, and
// the context's error if it has ended. A failed call plays no turn.
func (m *Model) Complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, fmt.Errorf("play %s: %w", m.name, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.next == len(m.turns) {
		return llm.Response{}, &EndError{Name: m.name, Turns: len(m.turns), Asked: strings.Join(observations(req.Messages), "\n")}
	}
	t := m.turns[m.next]
	if err := m.checkExpectations(t, observations(req.Messages)); err != nil {
		return llm.Response{}, err
	}
	m.next++
	resp := t.response
	resp.Message.ToolCalls = append([]llm.ToolCall(nil), resp.Message.ToolCalls...)
	return resp, nil
}

// Remaining counts the turns not yet played. A deterministic test ends with 0.
func (m *Model) Remaining() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.turns) - m.next
}

// EndError means that the model was asked for more turns than it has.
type EndError struct {
	Name  string // the script's name, usually its path
	Turns int    // how many turns it has
	Asked string // what the model was told when it was asked for one more, in full
}

func (e *EndError) Error() string {
	return fmt.Sprintf("%s: all %d turns have been played and the run asks for turn %d, after %q: add a turn, or let the last one end the run",
		e.Name, e.Turns, e.Turns+1, shorten(e.Asked))
}
