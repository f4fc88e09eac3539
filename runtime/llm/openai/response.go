package openai

import (
	"encoding/json"
	"strings"

	goopenai "github.com/sashabaranov/go-openai"

	"drydock/runtime/llm"
)

// finishReason maps the words of several servers. Whether there are calls
// decides between stop and tool_calls, on which servers disagree.
func finishReason(reason string, calls bool) llm.FinishReason {
	switch strings.ToLower(reason) {
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

// billed finds the usage in an answer that is otherwise of no use.
func (x *exchange) billed() llm.Usage {
	if x.reply.usage != (llm.Usage{}) {
		return x.reply.usage
	}
	var part struct {
		Usage goopenai.Usage `json:"usage"`
	}
	if json.Unmarshal(x.body, &part) != nil {
		return llm.Usage{}
	}
	return decodeUsage(part.Usage)
}
