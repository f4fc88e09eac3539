package openai

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	goopenai "github.com/sashabaranov/go-openai"

	"drydock/runtime/llm"
)

// judge says what is wrong with the outcome of an attempt, or nil.
func (m *Model) judge(ctx context.Context, ex *exchange, answer goopenai.ChatCompletionResponse, err error) *llm.Error {
	switch {
	case err != nil && ctx.Err() != nil:
		return &llm.Error{Kind: llm.KindCanceled, Message: ctx.Err().Error(), Err: ctx.Err()}
	case err != nil && !ex.sent:
		return &llm.Error{Kind: llm.KindBadRequest, Message: err.Error()}
	case ex.err != nil:
		return m.connectionError(ex.err)
	case ex.status < 200 || ex.status >= 300:
		return m.statusError(ex.status, ex.header, parseProblem(ex.header, ex.body))
	case err != nil:
		return unusable(ex, undecodable(ex, err))
	case len(answer.Choices) == 0:
		return m.noChoices(ex)
	case answer.Choices[0].FinishReason == "error":
		return unusable(ex, "the model stopped with an error")
	default:
		return nil
	}
}

func (m *Model) connectionError(err error) *llm.Error {
	if errors.Is(err, errTooLarge) {
		return &llm.Error{Kind: llm.KindBadResponse, Message: err.Error(), Permanent: true}
	}
	var verify *tls.CertificateVerificationError
	return &llm.Error{
		Kind:      llm.KindNetwork,
		Message:   displayURL(m.cfg.BaseURL) + ": " + m.connectionCause(err),
		Permanent: errors.As(err, &verify) || errors.Is(err, http.ErrSchemeMismatch),
		Err:       err,
	}
}

// connectionCause leaves out the request line, which says nothing new.
func (m *Model) connectionCause(err error) string {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("no complete answer in time (the limit is %s)", m.cfg.Timeout)
	case errors.As(err, &timeout) && timeout.Timeout():
		return "timed out: " + err.Error()
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was cut in the middle of the answer"
	case errors.Is(err, io.EOF):
		return "the server closed the connection without an answer"
	default:
		return err.Error()
	}
}

func (m *Model) statusError(status int, h http.Header, p problem) *llm.Error {
	e := &llm.Error{Kind: kindOf(status, p), Status: status, Message: p.message}
	if e.Message == "" {
		e.Message = firstText(p.code, http.StatusText(status), "no reason given")
	}
	switch e.Kind {
	case llm.KindAuth:
		e.Message = "check OPENAI_API_KEY: " + e.Message
	case llm.KindNotFound:
		e.Message = m.notFoundHint(h) + ": " + e.Message
	}
	if e.Retryable() {
		e.RetryAfter = retryAfter(h)
	}
	return e
}

func (m *Model) notFoundHint(h http.Header) string {
	base := displayURL(m.cfg.BaseURL)
	if target := h.Get("Location"); target != "" {
		return fmt.Sprintf("%s redirects to %s, check OPENAI_BASE_URL", base, displayURL(target))
	}
	return fmt.Sprintf("model %s at %s, check OPENAI_MODEL and OPENAI_BASE_URL", m.cfg.Model, base)
}

// noChoices handles servers that report an error with the status 200.
func (m *Model) noChoices(ex *exchange) *llm.Error {
	var body struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(ex.body, &body) == nil && len(body.Error) > 0 && string(body.Error) != "null" {
		p := parseProblem(ex.header, ex.body)
		if status, err := strconv.Atoi(p.code); err == nil && status >= 400 && status < 600 {
			e := m.statusError(status, ex.header, p)
			e.Usage = billedUsage(ex.body)
			return e
		}
		return unusable(ex, firstText(p.message, p.code, "an error without a reason"))
	}
	return unusable(ex, "it has no choices")
}

func unusable(ex *exchange, why string) *llm.Error {
	return &llm.Error{
		Kind: llm.KindBadResponse, Status: ex.status, Message: why,
		RetryAfter: retryAfter(ex.header), Usage: billedUsage(ex.body),
	}
}

func undecodable(ex *exchange, err error) string {
	if isHTML(ex.header, ex.body) {
		return htmlText(ex.body) + " instead of JSON, check OPENAI_BASE_URL"
	}
	if len(ex.body) == 0 {
		return "it is empty"
	}
	return "it is not the JSON of a chat answer: " + err.Error()
}

// billedUsage finds the usage in a body that is otherwise of no use.
func billedUsage(body []byte) llm.Usage {
	var part struct {
		Usage goopenai.Usage `json:"usage"`
	}
	if json.Unmarshal(body, &part) != nil {
		return llm.Usage{}
	}
	return decodeUsage(part.Usage)
}

func firstText(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
