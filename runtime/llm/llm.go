// Package llm is the port to a language model: one method, and the message
// types that travel through it. The implementations (OpenAI-compatible
// servers, scripts of recorded turns) live beside this file.
package llm

import (
	"context"
	"encoding/json"
)

// Model answers a conversation with one assistant turn.
//
// Complete returns when the answer is complete, the context ends, or the model
// failed for good; retries happen inside it. The error is an *Error unless the
// implementation documents another type.
type Model interface {
	Complete(ctx context.Context, req Request) (Response, error)
}

// Role says who speaks in a message.
type Role string

// The roles of the OpenAI chat format.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one entry of a conversation.
type Message struct {
	Role Role   `json:"role"`
	Text string `json:"text,omitempty"`
	// Images follow the text of a user message.
	Images []Image `json:"images,omitempty"`
	// ToolCalls are the calls an assistant message asks for, in order.
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	// ToolCallID names the call that a tool message answers.
	ToolCallID string `json:"tool_call_id,omitempty"`
}

// Image is a picture for the model.
type Image struct {
	MIME string `json:"mime"` // for example image/png
	Data []byte `json:"data"` // the encoded file, base64 in JSON
}

// ToolCall is one call that the model asks for. Arguments is the raw text the
// model wrote: usually a JSON object, but nothing guarantees that.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// ToolSpec tells the model what it may call.
type ToolSpec struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON schema of type object
}

// ToolChoice says whether the model may, must or must not call a tool.
type ToolChoice string

// The tool choices every compatible server knows.
const (
	ToolChoiceAuto     ToolChoice = "auto"
	ToolChoiceRequired ToolChoice = "required"
	ToolChoiceNone     ToolChoice = "none"
)

// Request is a conversation and what the model may do next.
type Request struct {
	Messages   []Message
	Tools      []ToolSpec
	ToolChoice ToolChoice // empty means auto
}

// FinishReason says why an answer ended.
type FinishReason string

// The reasons that callers tell apart; a provider's own words map to these.
const (
	FinishStop      FinishReason = "stop"
	FinishToolCalls FinishReason = "tool_calls"
	FinishLength    FinishReason = "length"
	FinishRefused   FinishReason = "refused"
)

// Usage counts the tokens of one answer, as the server reported them.
type Usage struct {
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
	CachedTokens int `json:"cached_tokens,omitempty"` // part of InputTokens
}

// Add gives the sum of both counts.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		InputTokens:  u.InputTokens + v.InputTokens,
		OutputTokens: u.OutputTokens + v.OutputTokens,
		CachedTokens: u.CachedTokens + v.CachedTokens,
	}
}

// Response is one assistant turn.
//
// With FinishLength the turn was cut: its last tool call may be incomplete and
// must not be executed.
type Response struct {
	Message      Message
	FinishReason FinishReason
	// Usage is of this answer alone, so that its InputTokens tell how large
	// the conversation is.
	Usage Usage
	// Discarded is what the server billed, within the same Complete, for
	// answers that could not be used and were asked for again.
	Discarded Usage
	Model     string // the model that answered, as the server names it
}

// Billed is everything that this turn cost: Usage and Discarded.
func (r Response) Billed() Usage { return r.Usage.Add(r.Discarded) }
