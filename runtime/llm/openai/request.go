package openai

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"drydock/runtime/llm"
)

// emptyText stands for an empty message: the client library leaves an empty
// content out, and servers refuse a message without one.
const emptyText = "(empty)"

// maxNameLen is the longest function name that servers accept.
const maxNameLen = 64

func (m *Model) encode(req llm.Request) (goopenai.ChatCompletionRequest, error) {
	wire := goopenai.ChatCompletionRequest{
		Model:    m.cfg.Model,
		Messages: make([]goopenai.ChatCompletionMessage, 0, len(req.Messages)),
	}
	for i, msg := range req.Messages {
		encoded, err := encodeMessage(msg)
		if err != nil {
			return wire, fmt.Errorf("message %d: %w", i+1, err)
		}
		wire.Messages = append(wire.Messages, encoded)
	}
	return wire, encodeTools(&wire, req)
}

func encodeTools(wire *goopenai.ChatCompletionRequest, req llm.Request) error {
	if len(req.Tools) == 0 {
		return nil
	}
	for _, spec := range req.Tools {
		tool, err := encodeTool(spec)
		if err != nil {
			return err
		}
		wire.Tools = append(wire.Tools, tool)
	}
	if req.ToolChoice != "" {
		wire.ToolChoice = string(req.ToolChoice)
	}
	return nil
}

func encodeTool(spec llm.ToolSpec) (goopenai.Tool, error) {
	parameters := spec.Parameters
	if len(parameters) == 0 {
		parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	if !json.Valid(parameters) {
		return goopenai.Tool{}, fmt.Errorf("tool %q: its parameters are not a JSON schema", spec.Name)
	}
	return goopenai.Tool{
		Type: goopenai.ToolTypeFunction,
		Function: &goopenai.FunctionDefinition{
			Name:        spec.Name,
			Description: spec.Description,
			Parameters:  parameters,
		},
	}, nil
}

func encodeMessage(msg llm.Message) (goopenai.ChatCompletionMessage, error) {
	wire := goopenai.ChatCompletionMessage{
		Role:       string(msg.Role),
		Content:    msg.Text,
		ToolCallID: msg.ToolCallID,
	}
	switch {
	case len(msg.Images) > 0:
		return encodeImages(wire, msg)
	case len(msg.ToolCalls) > 0:
		wire.ToolCalls = encodeCalls(msg.ToolCalls)
	case msg.Text == "":
		wire.Content = emptyText
	}
	return wire, nil
}

func encodeImages(wire goopenai.ChatCompletionMessage, msg llm.Message) (goopenai.ChatCompletionMessage, error) {
	if msg.Role != llm.RoleUser {
		return wire, fmt.Errorf("role %q cannot carry images, only a user message can", msg.Role)
	}
	wire.Content = ""
	if msg.Text != "" {
		wire.MultiContent = append(wire.MultiContent,
			goopenai.ChatMessagePart{Type: goopenai.ChatMessagePartTypeText, Text: msg.Text})
	}
	for i, image := range msg.Images {
		if !strings.HasPrefix(image.MIME, "image/") || len(image.Data) == 0 {
			return wire, fmt.Errorf("image %d: no data, or %q is not an image type", i+1, image.MIME)
		}
		wire.MultiContent = append(wire.MultiContent, goopenai.ChatMessagePart{
			Type:     goopenai.ChatMessagePartTypeImageURL,
			ImageURL: &goopenai.ChatMessageImageURL{URL: dataURL(image)},
		})
	}
	return wire, nil
}

func dataURL(image llm.Image) string {
	return "data:" + image.MIME + ";base64," + base64.StdEncoding.EncodeToString(image.Data)
}

// encodeCalls repeats to the server what its model wrote, made harmless where
// it is malformed: servers refuse a whole conversation for one name or one
// argument text that they cannot parse, and the run would be lost.
func encodeCalls(calls []llm.ToolCall) []goopenai.ToolCall {
	wire := make([]goopenai.ToolCall, 0, len(calls))
	for _, call := range calls {
		wire = append(wire, goopenai.ToolCall{
			ID:   call.ID,
			Type: goopenai.ToolTypeFunction,
			Function: goopenai.FunctionCall{
				Name:      safeName(call.Name),
				Arguments: safeArguments(call.Arguments),
			},
		})
	}
	return wire
}

// safeName replaces every byte outside letters, digits, _ and -.
func safeName(name string) string {
	if name == "" {
		return "unnamed"
	}
	safe := []byte(name[:min(len(name), maxNameLen)])
	for i, c := range safe {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		digit := c >= '0' && c <= '9'
		if !letter && !digit && c != '_' && c != '-' {
			safe[i] = '_'
		}
	}
	return string(safe)
}

// safeArguments passes a JSON object on as it is and wraps anything else.
func safeArguments(raw string) string {
	if strings.TrimSpace(raw) == "" {
		return "{}"
	}
	if strings.HasPrefix(strings.TrimLeft(raw, " \t\r\n"), "{") && json.Valid([]byte(raw)) {
		return raw
	}
	wrapped, err := json.Marshal(map[string]string{"malformed_arguments": raw})
	if err != nil { // a map of strings always marshals
		return "{}"
	}
	return string(wrapped)
}
