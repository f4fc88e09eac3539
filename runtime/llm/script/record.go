package script

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"drydock/runtime/llm"
)

// turnRecord is a line as it is written. Raw fields tell absent from empty, or
// accept more than one type.
type turnRecord struct {
	Text      *string           `json:"text"`
	ToolCalls []json.RawMessage `json:"tool_calls"`
	Finish    *string           `json:"finish"`
	Usage     json.RawMessage   `json:"usage"`
	Discarded json.RawMessage   `json:"discarded"`
	Model     string            `json:"model"`
	Expect    []string          `json:"expect"`
	Observed  []string          `json:"observed"`
}

type callRecord struct {
	ID        string          `json:"id"`
	Name      *string         `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type usageRecord struct {
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
	CachedTokens int `json:"cached_tokens"`
}

// turn makes the number-th turn, from 1, of the record.
func (r turnRecord) turn(number int) (turn, error) {
	if r.Text == nil && len(r.ToolCalls) == 0 {
		return turn{}, errors.New(`a turn needs "text" or "tool_calls"`)
	}
	message := llm.Message{Role: llm.RoleAssistant}
	if r.Text != nil {
		message.Text = *r.Text
	}
	var err error
	if message.ToolCalls, err = r.calls(number); err != nil {
		return turn{}, err
	}
	t := turn{expect: r.Expect, observed: r.Observed, response: llm.Response{Message: message, Model: cmp.Or(r.Model, "script")}}
	if t.response.FinishReason, err = r.finish(); err != nil {
		return turn{}, err
	}
	if t.response.Usage, err = usage("usage", r.Usage); err != nil {
		return turn{}, err
	}
	if t.response.Discarded, err = usage("discarded", r.Discarded); err != nil {
		return turn{}, err
	}
	for _, want := range r.Expect {
		if want == "" {
			return turn{}, errors.New(`"expect" holds an empty text, which is in everything`)
		}
	}
	return t, nil
}

func (r turnRecord) calls(number int) ([]llm.ToolCall, error) {
	var calls []llm.ToolCall
	seen := map[string]bool{}
	for i, raw := range r.ToolCalls {
		where := fmt.Sprintf("tool call %d", i+1)
		var record callRecord
		if err := decodeStrict(raw, where, &record); err != nil {
			return nil, err
		}
		if record.Name == nil {
			return nil, fmt.Errorf(`%s needs a "name"`, where)
		}
		arguments, err := argumentsText(record.Arguments)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		call := llm.ToolCall{ID: record.ID, Name: *record.Name, Arguments: arguments}
		if call.ID == "" {
			call.ID = fmt.Sprintf("call_%d_%d", number, i+1)
		}
		if seen[call.ID] {
			return nil, fmt.Errorf("%s: the id %q is taken by an earlier call of the turn", where, call.ID)
		}
		seen[call.ID] = true
		calls = append(calls, call)
	}
	return calls, nil
}

// argumentsText gives what a model would have written: an object in one line,
// or a string as it is, so that malformed arguments can be scripted.
func argumentsText(raw json.RawMessage) (string, error) {
	if len(raw) == 0 {
		return "{}", nil
	}
	switch raw[0] {
	case '{':
		var text bytes.Buffer
		if err := json.Compact(&text, raw); err != nil {
			return "", fmt.Errorf("arguments: %w", err)
		}
		return text.String(), nil
	case '"':
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return "", fmt.Errorf("arguments: %w", err)
		}
		return text, nil
	default:
		return "", errors.New(`"arguments" must be an object, or a string to be passed on as it is`)
	}
}

func (r turnRecord) finish() (llm.FinishReason, error) {
	calls := len(r.ToolCalls) > 0
	if r.Finish == nil {
		if calls {
			return llm.FinishToolCalls, nil
		}
		return llm.FinishStop, nil
	}
	reason := llm.FinishReason(*r.Finish)
	switch reason {
	case llm.FinishToolCalls:
		if !calls {
			return "", errors.New(`"finish" is tool_calls, but the turn has none`)
		}
		return reason, nil
	case llm.FinishStop, llm.FinishLength, llm.FinishRefused:
		return reason, nil
	default:
		return "", fmt.Errorf(`"finish" is %q; it must be stop, tool_calls, length or refused`, reason)
	}
}

func usage(key string, raw json.RawMessage) (llm.Usage, error) {
	if len(raw) == 0 {
		return llm.Usage{}, nil
	}
	var record usageRecord
	if err := decodeStrict(raw, key, &record); err != nil {
		return llm.Usage{}, err
	}
	if record.InputTokens < 0 || record.OutputTokens < 0 || record.CachedTokens < 0 {
		return llm.Usage{}, fmt.Errorf("%s: token counts must not be negative", key)
	}
	return llm.Usage(record), nil
}
