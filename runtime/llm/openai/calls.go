package openai

import (
	"crypto/rand"
	"encoding/json"
	"strings"

	"drydock/runtime/llm"
)

// maxCalls is more than any model asks for at once.
const maxCalls = 4096

// partialCall is a tool call as far as it has come.
type partialCall struct {
	index     *int // nil where the server sends none
	id        string
	name      string
	arguments strings.Builder
}

// pieceCall is a tool call, or a part of one.
type pieceCall struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string       `json:"name"`
		Arguments rawArguments `json:"arguments"`
	} `json:"function"`
}

// rawArguments is a text, as the format has it, or the object itself.
type rawArguments string

// UnmarshalJSON reads both forms.
func (a *rawArguments) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '{' {
		*a = rawArguments(raw)
		return nil
	}
	return json.Unmarshal(raw, (*string)(a))
}

// newCall takes up a call that no other part belongs to yet.
func (r *reply) newCall(p pieceCall) {
	call := &partialCall{index: p.Index}
	r.calls = append(r.calls, call)
	r.extend(call, p)
}

// addCall takes up a part of a call.
func (r *reply) addCall(p pieceCall) {
	if call := r.find(p); call != nil {
		r.extend(call, p)
		return
	}
	r.newCall(p)
}

func (r *reply) extend(call *partialCall, p pieceCall) {
	if call.id == "" {
		call.id = p.ID
	}
	name := p.Function.Name
	// Some servers repeat the name in each part, others send it in parts.
	if name != call.name && call.arguments.Len() == 0 {
		call.name += name
	}
	call.arguments.WriteString(string(p.Function.Arguments))
	r.size += len(p.Function.Arguments) + len(name)
}

// find gives the call that a part belongs to, or nil for a new one. The index
// decides where there is one, unless a whole new call comes under an old index,
// as some servers do it. Without an index the id decides, then the name: a part
// that has neither goes on with the last call.
func (r *reply) find(p pieceCall) *partialCall {
	if p.Index == nil {
		return r.findByID(p)
	}
	for i := len(r.calls) - 1; i >= 0; i-- {
		call := r.calls[i]
		if call.index == nil || *call.index != *p.Index {
			continue
		}
		if p.ID != "" && call.id != "" && p.ID != call.id && p.Function.Name != "" {
			return nil
		}
		return call
	}
	return nil
}

func (r *reply) findByID(p pieceCall) *partialCall {
	if len(r.calls) == 0 {
		return nil
	}
	last := r.calls[len(r.calls)-1]
	switch {
	case p.ID != "" && p.ID == last.id:
		if p.Function.Name != "" && last.whole() { // the same id for each call
			return nil
		}
		return last
	case p.ID != "":
		return nil
	case p.Function.Name != "" && last.name != "" && last.arguments.Len() > 0:
		return nil
	}
	return last
}

// whole says that the arguments are a complete JSON value.
func (c *partialCall) whole() bool { return json.Valid([]byte(c.arguments.String())) }

// hasOpenCall says that a call's arguments are no complete JSON value, or a call
// has no name: perhaps the rest is missing.
func (r *reply) hasOpenCall() bool {
	for _, call := range r.calls {
		if call.name == "" || !call.whole() {
			return true
		}
	}
	return false
}

// toolCalls gives each call an id of its own: some servers send none, or the
// same one twice, and then no result could be matched with its call.
func (r *reply) toolCalls() []llm.ToolCall {
	var calls []llm.ToolCall
	seen := make(map[string]bool, len(r.calls))
	for _, call := range r.calls {
		id := call.id
		if id == "" || seen[id] {
			id = "call_" + rand.Text()
		}
		seen[id] = true
		calls = append(calls, llm.ToolCall{ID: id, Name: call.name, Arguments: call.arguments.String()})
	}
	return calls
}
