package fakellm

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// ModelName is the one model that the server lists. Requests may name others.
const ModelName = "fake-model"

const jsonType = "application/json"

type completion struct {
	ID      string    `json:"id"`
	Object  string    `json:"object"`
	Created int64     `json:"created"`
	Model   string    `json:"model"`
	Choices []choice  `json:"choices"`
	Usage   wireUsage `json:"usage"`
}

type choice struct {
	Index        int     `json:"index"`
	Message      answer  `json:"message"`
	FinishReason *string `json:"finish_reason"`
}

type answer struct {
	Role      string     `json:"role"`
	Content   *string    `json:"content"`
	Refusal   *string    `json:"refusal"`
	ToolCalls []wireCall `json:"tool_calls,omitempty"`
}

type wireCall struct {
	Index    *int         `json:"index,omitempty"` // in streams only
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type wireUsage struct {
	PromptTokens     int           `json:"prompt_tokens"`
	CompletionTokens int           `json:"completion_tokens"`
	TotalTokens      int           `json:"total_tokens"`
	Details          promptDetails `json:"prompt_tokens_details"`
}

type promptDetails struct {
	CachedTokens int `json:"cached_tokens"`
}

func (u Usage) wire() wireUsage {
	return wireUsage{
		PromptTokens: u.Prompt, CompletionTokens: u.Completion, TotalTokens: u.Prompt + u.Completion,
		Details: promptDetails{CachedTokens: u.Cached},
	}
}

// completion is the turn's answer as the number-th of the server, from 1.
func (t Turn) completion(number int, model string) completion {
	finish := t.finish()
	return completion{
		ID:     fmt.Sprintf("chatcmpl-%d", number),
		Object: "chat.completion",
		Model:  model,
		Choices: []choice{{
			Message: answer{
				Role: "assistant", Content: optional(t.Text), Refusal: optional(t.Refusal),
				ToolCalls: t.wireCalls(number),
			},
			FinishReason: &finish,
		}},
		Usage: t.Usage.wire(),
	}
}

func (t Turn) finish() string {
	switch {
	case t.Finish != "":
		return t.Finish
	case len(t.Calls) > 0:
		return "tool_calls"
	default:
		return "stop"
	}
}

func (t Turn) wireCalls(number int) []wireCall {
	var calls []wireCall
	for i, call := range t.Calls {
		id := call.ID
		if id == "" {
			id = fmt.Sprintf("call_%d_%d", number, i+1)
		}
		calls = append(calls, wireCall{
			ID: id, Type: "function",
			Function: wireFunction{Name: call.Name, Arguments: call.Arguments},
		})
	}
	return calls
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func errorBody(status int, code, message string) string {
	kind := "invalid_request_error"
	if status >= http.StatusInternalServerError {
		kind = "server_error"
	}
	return string(marshal(map[string]any{"error": map[string]any{
		"message": message, "type": kind, "param": nil, "code": optional(code),
	}}))
}

// marshal is for values of this package, which always have a JSON form.
func marshal(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		return []byte(`{}`)
	}
	return text
}
