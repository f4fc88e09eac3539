package fakellm

import (
	"net/http"
	"strings"
)

type chunk struct {
	ID      string        `json:"id"`
	Object  string        `json:"object"`
	Created int64         `json:"created"`
	Model   string        `json:"model"`
	Choices []chunkChoice `json:"choices"`
	Usage   *wireUsage    `json:"usage,omitempty"`
}

type chunkChoice struct {
	Index        int     `json:"index"`
	Delta        delta   `json:"delta"`
	FinishReason *string `json:"finish_reason"`
}

type delta struct {
	Role      string     `json:"role,omitempty"`
	Content   string     `json:"content,omitempty"`
	Refusal   string     `json:"refusal,omitempty"`
	ToolCalls []wireCall `json:"tool_calls,omitempty"`
}

// streaming says how an answer is streamed.
type streaming struct {
	events []string // as they are, instead of those of the answer
	delta  int      // bytes of text or arguments in an event, 0 for all
	piece  int      // bytes written at a time, 0 for an event
	after  int      // the event after which the fault happens, from 1; 0 for none
	fault  fault
	noDone bool
}

// stream sends the answer as server-sent events: text, each call, the end.
func stream(w http.ResponseWriter, r *http.Request, turn Turn, full completion, to answering) {
	w.Header().Set("Content-Type", "text/event-stream")
	s := turn.streaming
	events := s.events
	if events == nil {
		events = turn.events(full, to.chat.StreamOptions.IncludeUsage)
	}
	for i, event := range events {
		send(w, event, s.piece)
		if i+1 != s.after {
			continue
		}
		switch s.fault {
		case faultReset:
			reset(w)
			return
		case faultTruncate:
			panic(http.ErrAbortHandler) // ends the connection without the end of the body
		case faultHang:
			if !to.hang(r) {
				return
			}
		}
	}
}

// send writes a text in pieces, each of which leaves at once.
func send(w http.ResponseWriter, text string, piece int) {
	if piece <= 0 {
		piece = max(1, len(text))
	}
	for len(text) > 0 {
		n := min(piece, len(text))
		if _, err := w.Write([]byte(text[:n])); err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
		text = text[n:]
	}
}

// events are the answer's, each with the empty line that ends it.
func (t Turn) events(full completion, withUsage bool) []string {
	message := full.Choices[0].Message
	var events []string
	add := func(d delta) { events = append(events, event(full, []chunkChoice{{Delta: d}}, nil)) }
	add(delta{Role: message.Role, Refusal: value(message.Refusal)})
	for _, text := range cutInto(value(message.Content), t.streaming.delta) {
		add(delta{Content: text})
	}
	for i, call := range message.ToolCalls {
		call.Index = &i
		for n, part := range cutInto(call.Function.Arguments, t.streaming.delta) {
			if n > 0 { // only the first part says whose it is
				call = wireCall{Index: &i}
			}
			call.Function.Arguments = part
			add(delta{ToolCalls: []wireCall{call}})
		}
	}
	events = append(events, event(full, []chunkChoice{{FinishReason: full.Choices[0].FinishReason}}, nil))
	if withUsage {
		events = append(events, event(full, []chunkChoice{}, &full.Usage))
	}
	if !t.streaming.noDone {
		events = append(events, "data: [DONE]\n\n")
	}
	return events
}

// cutInto never cuts a character; an empty text is one part.
func cutInto(text string, size int) []string {
	if size <= 0 || text == "" {
		return []string{text}
	}
	var parts []string
	var part strings.Builder
	for _, r := range text {
		part.WriteRune(r)
		if part.Len() >= size {
			parts = append(parts, part.String())
			part.Reset()
		}
	}
	if part.Len() > 0 {
		parts = append(parts, part.String())
	}
	return parts
}

func event(full completion, choices []chunkChoice, usage *wireUsage) string {
	return "data: " + string(marshal(chunk{
		ID: full.ID, Object: "chat.completion.chunk", Created: full.Created, Model: full.Model,
		Choices: choices, Usage: usage,
	})) + "\n\n"
}

func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
