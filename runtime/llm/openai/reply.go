package openai

import (
	"encoding/json"
	"errors"
	"fmt"

	goopenai "github.com/sashabaranov/go-openai"

	"drydock/runtime/llm"
)

// errBadPiece means that a piece of an answer is not what it should be.
var errBadPiece = errors.New("it is not the JSON of a chat answer")

// reply is an answer as far as it has come, from one piece or from many.
type reply struct {
	model   string
	text    []byte
	refusal string
	calls   []*partialCall
	finish  string
	usage   llm.Usage
	problem json.RawMessage // an error that came in place of the rest

	choices int  // pieces with a choice in them
	ended   bool // the server has said that this is all
	size    int  // bytes of text and arguments
}

// piece is a chunk of a stream, or a whole answer: they differ in one key.
type piece struct {
	Model   string          `json:"model"`
	Choices []pieceChoice   `json:"choices"`
	Usage   *goopenai.Usage `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type pieceChoice struct {
	Index        int           `json:"index"`
	Delta        *pieceMessage `json:"delta"`
	Message      *pieceMessage `json:"message"`
	FinishReason string        `json:"finish_reason"`
}

type pieceMessage struct {
	Content   flexText    `json:"content"`
	Refusal   string      `json:"refusal"`
	ToolCalls []pieceCall `json:"tool_calls"`
}

// add takes up a piece. An error is errBadPiece or errTooLarge.
func (r *reply) add(raw []byte) error {
	var p piece
	if err := json.Unmarshal(raw, &p); err != nil {
		return fmt.Errorf("%w: %w", errBadPiece, err)
	}
	if p.Model != "" {
		r.model = p.Model
	}
	if p.Usage != nil && p.Usage.TotalTokens+p.Usage.PromptTokens > 0 { // each counts from the beginning
		r.usage = decodeUsage(*p.Usage)
	}
	if len(p.Error) > 0 && string(p.Error) != "null" {
		r.problem = raw
	}
	for _, c := range p.Choices {
		if c.Index == 0 {
			r.addChoice(c)
		}
	}
	if r.size > maxAnswerBytes || len(r.calls) > maxCalls {
		return fmt.Errorf("%w: over %d MiB or %d tool calls", errTooLarge, maxAnswerBytes>>20, maxCalls)
	}
	return nil
}

func (r *reply) addChoice(c pieceChoice) {
	r.choices++
	message, add := c.Delta, r.addCall
	// Some servers repeat the whole message at the end of a stream.
	if message == nil && len(r.text) == 0 && len(r.calls) == 0 {
		message, add = c.Message, r.newCall
	}
	if message != nil {
		r.text = append(r.text, message.Content...)
		r.refusal += message.Refusal
		r.size += len(message.Content) + len(message.Refusal)
		for _, call := range message.ToolCalls {
			add(call)
		}
	}
	if c.FinishReason != "" {
		r.finish, r.ended = c.FinishReason, true
	}
}

// response is the answer, once it is complete.
func (r *reply) response() llm.Response {
	calls := r.toolCalls()
	text, reason := string(r.text), finishReason(r.finish, len(calls) > 0)
	if r.refusal != "" && text == "" {
		text, reason = r.refusal, llm.FinishRefused
	}
	return llm.Response{
		Message:      llm.Message{Role: llm.RoleAssistant, Text: text, ToolCalls: calls},
		FinishReason: reason,
		Usage:        r.usage,
		Model:        r.model,
	}
}

// flexText is a text, or a list of parts, of which those that are text count.
type flexText string

// UnmarshalJSON reads both forms.
func (t *flexText) UnmarshalJSON(raw []byte) error {
	if len(raw) == 0 || raw[0] != '[' {
		return json.Unmarshal(raw, (*string)(t))
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	for _, part := range parts {
		*t += flexText(part.Text)
	}
	return nil
}
