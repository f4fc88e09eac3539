package openai

import (
	"net/http"
	"strings"

	"drydock/runtime/llm"
)

// The words by which servers tell apart what shares a status. Matched in lower
// case against code, type and message together; codes come first.
var (
	overflowWords = [...]string{
		"context_length_exceeded", "exceed_context_size", "contextwindowexceeded",
		"maximum context length", "maximum model length", "maximum prompt length",
		"context window", "context limit", "available context size", "context length exceeded",
		"prompt is too long", "prompt too long", "input is too long",
		"too many tokens", "too many input tokens", "input token count",
		"reduce the length of the messages", "`inputs` tokens + `max_new_tokens`",
	}
	// A single request above the rate limit never gets through, however long
	// one waits; a shorter conversation does.
	requestTooLargeWords = [...]string{"request too large"}

	quotaWords = [...]string{
		"insufficient_quota", "billing_hard_limit_reached", "billing_not_active",
		"credit balance is too low", "insufficient balance", "insufficient credits",
	}
	refusedWords = [...]string{
		"content_filter", "content_policy_violation", "responsibleaipolicyviolation",
		"invalid_prompt", "data_inspection_failed", "content management policy", "was flagged",
	}
)

// kindOf decides by the status first and by words only where one status has
// several meanings.
func kindOf(status int, p problem) llm.Kind {
	switch status {
	case http.StatusUnauthorized:
		return llm.KindAuth
	case http.StatusPaymentRequired:
		return llm.KindQuota
	case http.StatusForbidden:
		return firstKind(llm.KindAuth, p.ifQuota(), p.ifRefused())
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone:
		return llm.KindNotFound
	case http.StatusRequestEntityTooLarge:
		return llm.KindContextOverflow
	case http.StatusTooManyRequests:
		return firstKind(llm.KindRateLimit, p.ifQuota(), p.ifRequestTooLarge())
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly:
		return llm.KindOverloaded
	}
	switch {
	case status >= 500:
		return firstKind(llm.KindOverloaded, p.ifOverflow())
	case status >= 300 && status < 400:
		return llm.KindNotFound
	default:
		return firstKind(llm.KindBadRequest, p.ifOverflow(), p.ifQuota(), p.ifRefused())
	}
}

// firstKind is the first candidate that is not empty, or else the fallback.
func firstKind(fallback llm.Kind, candidates ...llm.Kind) llm.Kind {
	for _, kind := range candidates {
		if kind != "" {
			return kind
		}
	}
	return fallback
}

func (p problem) ifOverflow() llm.Kind {
	return p.kindIf(llm.KindContextOverflow, overflowWords[:])
}

func (p problem) ifRequestTooLarge() llm.Kind {
	return p.kindIf(llm.KindContextOverflow, requestTooLargeWords[:])
}

func (p problem) ifQuota() llm.Kind { return p.kindIf(llm.KindQuota, quotaWords[:]) }

func (p problem) ifRefused() llm.Kind { return p.kindIf(llm.KindRefused, refusedWords[:]) }

func (p problem) kindIf(kind llm.Kind, words []string) llm.Kind {
	text := strings.ToLower(p.code + "\n" + p.kind + "\n" + p.message)
	for _, word := range words {
		if strings.Contains(text, word) {
			return kind
		}
	}
	return ""
}
