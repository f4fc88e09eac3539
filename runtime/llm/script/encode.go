package script

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"drydock/internal/jsonline"
	"drydock/runtime/llm"
)

// turnLine is a line as a recording writes it: turnRecord with what need not be
// said left out.
type turnLine struct {
	Text      string           `json:"text,omitempty"`
	ToolCalls []callLine       `json:"tool_calls,omitempty"`
	Finish    llm.FinishReason `json:"finish,omitempty"`
	Usage     llm.Usage        `json:"usage,omitzero"`
	Discarded llm.Usage        `json:"discarded,omitzero"`
	Model     string           `json:"model,omitempty"`
	Observed  []string         `json:"observed,omitempty"`
}

type callLine struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments any    `json:"arguments"`
}

// emptyLine is a turn without text and calls, which has to say so.
type emptyLine struct {
	Text string `json:"text"`
	turnLine
}

// encodeTurn writes a turn as a line that Parse reads as the same turn. What is
// not UTF-8 in it is lost: JSON cannot hold it.
func encodeTurn(t Turn) ([]byte, error) {
	r := t.Response
	line := turnLine{
		Text: r.Message.Text, Finish: finishToSay(r), Usage: counted(r.Usage), Discarded: counted(r.Discarded),
		Model: r.Model, Observed: t.Observed,
	}
	for _, call := range r.Message.ToolCalls {
		line.ToolCalls = append(line.ToolCalls, callLine{ID: call.ID, Name: call.Name, Arguments: readable(call.Arguments)})
	}
	if line.Text == "" && len(line.ToolCalls) == 0 {
		return jsonline.Marshal(emptyLine{turnLine: line})
	}
	return jsonline.Marshal(line)
}

// readable gives arguments as an object, which people read and edit more
// easily, where Parse makes the same text of it to the byte, and else as a
// string.
func readable(arguments string) any {
	raw := []byte(arguments)
	if !bytes.HasPrefix(raw, []byte("{")) || !json.Valid(raw) || !utf8.Valid(raw) || !jsonline.Plain(arguments) {
		return arguments
	}
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil || compact.String() != arguments {
		return arguments
	}
	return json.RawMessage(raw)
}

// finishToSay is a turn's end where it is not the usual one.
func finishToSay(r llm.Response) llm.FinishReason {
	calls := len(r.Message.ToolCalls) > 0
	switch r.FinishReason {
	case llm.FinishLength, llm.FinishRefused:
		return r.FinishReason
	case llm.FinishStop:
		if calls {
			return r.FinishReason
		}
	}
	return ""
}

// counted leaves out what a server cannot have counted.
func counted(u llm.Usage) llm.Usage {
	return llm.Usage{InputTokens: max(u.InputTokens, 0), OutputTokens: max(u.OutputTokens, 0), CachedTokens: max(u.CachedTokens, 0)}
}
