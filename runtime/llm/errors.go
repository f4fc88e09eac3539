package llm

import (
	"fmt"
	"time"
)

// Kind says what sort of failure a model call ended with.
type Kind string

// The kinds that callers tell apart.
const (
	// KindAuth: no key, or the server refused it (401, 403).
	KindAuth Kind = "auth"
	// KindNotFound: no such model, or no such address on that server (404).
	KindNotFound Kind = "not_found"
	// KindBadRequest: the server refused the request as it was (400, 422).
	KindBadRequest Kind = "bad_request"
	// KindContextOverflow: the conversation is larger than the model reads.
	KindContextOverflow Kind = "context_overflow"
	// KindRateLimit: too many requests or tokens for now (429).
	KindRateLimit Kind = "rate_limit"
	// KindQuota: the account has nothing left to spend; waiting does not help.
	KindQuota Kind = "quota"
	// KindOverloaded: the server failed or is busy (5xx, 529, 408, 409).
	KindOverloaded Kind = "overloaded"
	// KindNetwork: the connection failed or nothing came in time.
	KindNetwork Kind = "network"
	// KindBadResponse: an answer came, but it is not one that can be used.
	KindBadResponse Kind = "bad_response"
	// KindRefused: a content filter refused the request.
	KindRefused Kind = "refused"
	// KindNoTools: the model, or its server as it was started, calls no tools.
	KindNoTools Kind = "no_tools"
	// KindNoImages: the model takes no pictures, and the request has some.
	KindNoImages Kind = "no_images"
	// KindCanceled: the caller's context ended first. The error unwraps to
	// context.Canceled or context.DeadlineExceeded.
	KindCanceled Kind = "canceled"
)

// Error is a model call that failed for good.
type Error struct {
	Kind Kind
	// Status is the HTTP status of the last answer, or 0 when there was none.
	Status int
	// RetryAfter is how long the server asked to wait, or 0 if it did not say.
	RetryAfter time.Duration
	// Message is one line of detail without any secret.
	Message string
	// Usage is what the server billed for answers that could not be used.
	Usage Usage
	// Permanent marks a failure that another try cannot mend although its kind
	// usually passes, such as a certificate that does not verify.
	Permanent bool
	// Err is the cause, if there is one beyond Message.
	Err error
}

// Error gives one line: what happened, the status if any, and the detail.
func (e *Error) Error() string {
	text := e.Kind.phrase()
	if e.Status != 0 {
		text = fmt.Sprintf("%s (%d)", text, e.Status)
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Retryable says whether the same request may succeed later.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case KindRateLimit, KindOverloaded, KindNetwork, KindBadResponse:
		return !e.Permanent
	default:
		return false
	}
}

func (k Kind) phrase() string {
	switch k {
	case KindAuth:
		return "model key missing or refused"
	case KindNotFound:
		return "model or endpoint not found"
	case KindBadRequest:
		return "the model server refused the request"
	case KindContextOverflow:
		return "the conversation does not fit the model's context"
	case KindRateLimit:
		return "the model server limits the rate of requests"
	case KindQuota:
		return "the model account has no quota left"
	case KindOverloaded:
		return "the model server is failing or overloaded"
	case KindNetwork:
		return "the connection to the model server failed"
	case KindBadResponse:
		return "the model server sent an unusable answer"
	case KindRefused:
		return "the model server refused the content"
	case KindNoTools:
		return "the model cannot call tools"
	case KindNoImages:
		return "the model takes no images"
	case KindCanceled:
		return "the model call was stopped"
	default:
		return "the model call failed"
	}
}
