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
		"too many tokens", "too many input tokens", "input token count", "max context length",
		"reduce the length of the messages", "`inputs` tokens + `max_new_tokens`", "`inputs` must have less than",
		"greater than the context length", "when context the overflows",
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

	// A model, or its server as it was started, that calls no tools.
	noToolsWords = [...]string{
		"does not support tool", "doesn't support tool use", "found that support tool use",
		"enable-auto-tool-choice", "function calling is not enabled", "does not support function calling",
		"tool calling is not supported", "`tool calling` is not supported", "tools param requires --jinja",
		"'tools' is not supported", "does not support parameters: ['tools'", "does not support parameters: {'tools'",
	}
	noImagesWords = [...]string{
		"found that support image input", "does not support image", "do not support image", "doesn't support the image",
		"image input is not supported", "image inputs are not supported", "image_url is only supported",
		"not a multimodal model", "at most 0 image", "unknown variant `image_url`", "vision is not supported",
	}

	// What tells failures apart that come without a status.
	rateWords     = [...]string{"rate_limit", "rate limit", "too many requests", "throttl", "resource_exhausted"}
	overloadWords = [...]string{
		"overloaded", "server_error", "internal_error", "internal server error", "unavailable", "api_error", "timeout", "timed out",
	}
	authWords = [...]string{"authentication_error", "invalid_api_key", "permission_error", "unauthorized"}
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
		return firstKind(llm.KindNotFound, p.ifUnable())
	case http.StatusRequestEntityTooLarge:
		return llm.KindContextOverflow
	case http.StatusTooManyRequests:
		return firstKind(llm.KindRateLimit, p.ifQuota(), p.ifRequestTooLarge())
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly:
		return llm.KindOverloaded
	}
	switch {
	case status >= 500:
		return firstKind(llm.KindOverloaded, p.ifOverflow(), p.ifUnable())
	case status >= 300 && status < 400:
		return llm.KindNotFound
	default:
		return firstKind(llm.KindBadRequest, p.ifOverflow(), p.ifQuota(), p.ifRefused(), p.ifUnable())
	}
}

// kindByWords decides where there is no status to go by. What nothing tells is
// an unusable answer, which is asked for again a few times.
func kindByWords(p problem) llm.Kind {
	return firstKind(
		llm.KindBadResponse, p.ifOverflow(), p.ifQuota(), p.ifRefused(), p.ifUnable(),
		p.kindIf(llm.KindRateLimit, rateWords[:]), p.kindIf(llm.KindAuth, authWords[:]), p.kindIf(llm.KindOverloaded, overloadWords[:]),
	)
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

// ifUnable tells a model that cannot do what a request needs.
func (p problem) ifUnable() llm.Kind {
	return firstKind(p.kindIf(llm.KindNoTools, noToolsWords[:]), p.kindIf(llm.KindNoImages, noImagesWords[:]))
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
