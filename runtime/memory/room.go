package memory

import (
	"errors"
	"fmt"
)

// ErrFull says that a conversation does not fit, however much is left out.
var ErrFull = errors.New("the conversation does not fit the model's context window, even with all that can be left out")

// SizeError says that a window is too small to begin in. All are tokens.
type SizeError struct {
	Window int // what the model reads and writes
	Start  int // about what the system prompt, the tools and the task take
	Answer int // kept for an answer
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("system prompt, tools and task take about %d tokens and an answer up to %d, which leaves no room to work in a context window of %d; "+
		"shorten the task, choose a model with a larger window, or correct context_window", e.Start, e.Answer, e.Window)
}

// roomToWork is the part of a request that must be free at the start.
const roomToWork = 8

// reserve is what is kept for the answer.
func (m *Memory) reserve() int {
	if m.opts.Reserve > 0 {
		return m.opts.Reserve
	}
	return m.opts.Window / 4
}

// limit is how many tokens a request may have, 0 for any number. A twentieth is
// kept free, because the count is an estimate.
func (m *Memory) limit() int {
	limit := 0
	if m.opts.Window > 0 {
		room := m.opts.Window - m.reserve()
		limit = max(1, room-room/20)
	}
	if m.ceiling > 0 && (limit == 0 || m.ceiling < limit) {
		return m.ceiling
	}
	return limit
}
