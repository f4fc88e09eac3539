package fakellm

import (
	"fmt"
	"net/http"
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

// stream sends the answer as server-sent events: text, each call, the end.
func stream(w http.ResponseWriter, full completion, withUsage bool) {
	w.Header().Set("Content-Type", "text/event-stream")
	message := full.Choices[0].Message
	deltas := []delta{{Role: message.Role, Content: value(message.Content), Refusal: value(message.Refusal)}}
	for i, call := range message.ToolCalls {
		call.Index = &i
		deltas = append(deltas, delta{ToolCalls: []wireCall{call}})
	}
	for _, d := range deltas {
		event(w, full, []chunkChoice{{Delta: d}}, nil)
	}
	event(w, full, []chunkChoice{{FinishReason: full.Choices[0].FinishReason}}, nil)
	if withUsage {
		event(w, full, []chunkChoice{}, &full.Usage)
	}
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}

func event(w http.ResponseWriter, full completion, choices []chunkChoice, usage *wireUsage) {
	body := marshal(chunk{
		ID: full.ID, Object: "chat.completion.chunk", Created: full.Created, Model: full.Model,
		Choices: choices, Usage: usage,
	})
	_, _ = fmt.Fprintf(w, "data: %s\n\n", body)
	_ = http.NewResponseController(w).Flush()
}

func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
