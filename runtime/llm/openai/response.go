package openai

import (
	"crypto/rand"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"drydock/runtime/llm"
)

// decode expects at least one choice.
func decode(answer goopenai.ChatCompletionResponse) llm.Response {
	choice := answer.Choices[0]
	calls := decodeCalls(choice.Message.ToolCalls)
	text := choice.Message.Content
	if text == "" {
		text = joinParts(choice.Message.MultiContent)
	}
	reason := finishReason(choice.FinishReason, len(calls) > 0)
	if refusal := choice.Message.Refusal; refusal != "" && text == "" {
		text, reason = refusal, llm.FinishRefused
	}
	return llm.Response{
		Message:      llm.Message{Role: llm.RoleAssistant, Text: text, ToolCalls: calls},
		FinishReason: reason,
		Usage:        decodeUsage(answer.Usage),
		Model:        answer.Model,
	}
}

func joinParts(parts []goopenai.ChatMessagePart) string {
	var text strings.Builder
	for _, part := range parts {
		text.WriteString(part.Text)
	}
	return text.String()
}

// decodeCalls gives each call an id of its own: some servers send none, or the
// same one twice, and then no result could be matched with its call.
func decodeCalls(wire []goopenai.ToolCall) []llm.ToolCall {
	var calls []llm.ToolCall
	seen := make(map[string]bool, len(wire))
	for _, call := range wire {
		id := call.ID
		if id == "" || seen[id] {
			id = "call_" + rand.Text()
		}
		seen[id] = true
		calls = append(calls, llm.ToolCall{
			ID:        id,
			Name:      call.Function.Name,
			Arguments: call.Function.Arguments,
		})
	}
	return calls
}

// finishReason maps the words of several servers. Whether there are calls
// decides between stop and tool_calls, on which servers disagree.
func finishReason(reason goopenai.FinishReason, calls bool) llm.FinishReason {
	switch strings.ToLower(string(reason)) {
	case "length", "max_tokens", "model_length":
		return llm.FinishLength
	case "content_filter", "safety", "refusal":
		return llm.FinishRefused
	}
	if calls {
		return llm.FinishToolCalls
	}
	return llm.FinishStop
}

func decodeUsage(wire goopenai.Usage) llm.Usage {
	usage := llm.Usage{InputTokens: wire.PromptTokens, OutputTokens: wire.CompletionTokens}
	if wire.PromptTokensDetails != nil {
		usage.CachedTokens = wire.PromptTokensDetails.CachedTokens
	}
	return usage
}
