package openai

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"drydock/runtime/llm"
)

// judge says what is wrong with the outcome of an attempt, or nil.
func (m *Model) judge(ctx context.Context, ex *exchange, err error) *llm.Error {
	switch {
	case err != nil && ctx.Err() != nil:
		return &llm.Error{Kind: llm.KindCanceled, Message: ctx.Err().Error(), Usage: ex.billed(), Err: ctx.Err()}
	case err != nil && !ex.sent:
		return &llm.Error{Kind: llm.KindBadRequest, Message: err.Error()}
	case ex.err != nil:
		return m.connectionError(ex)
	case ex.status < 200 || ex.status >= 300:
		return m.statusError(ex.status, ex.header, ex.problem())
	case ex.bad != nil:
		return unusable(ex, m.undecodable(ex))
	case len(ex.reply.problem) > 0 && (ex.streamed || ex.reply.choices == 0):
		return m.reportedError(ex)
	case ex.reply.choices == 0:
		return unusable(ex, "it has no choices")
	case ex.reply.finish == "error":
		return unusable(ex, "the model stopped with an error")
	default:
		return nil
	}
}

func (m *Model) connectionError(ex *exchange) *llm.Error {
	if errors.Is(ex.err, errTooLarge) {
		return &llm.Error{Kind: llm.KindBadResponse, Message: ex.err.Error(), Usage: ex.billed(), Permanent: true}
	}
	var verify *tls.CertificateVerificationError
	return &llm.Error{
		Kind:      llm.KindNetwork,
		Message:   displayURL(m.cfg.BaseURL) + ": " + m.connectionCause(ex),
		Usage:     ex.billed(),
		Permanent: errors.As(ex.err, &verify) || errors.Is(ex.err, http.ErrSchemeMismatch),
		Err:       ex.err,
	}
}

// connectionCause leaves out the request line, which says nothing new.
func (m *Model) connectionCause(ex *exchange) string {
	err := ex.err
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	var timeout interface{ Timeout() bool }
	switch {
	case ex.watch.idled():
		return fmt.Sprintf("nothing came for %s (the limit of silence)", m.cfg.IdleTimeout)
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
		e.Message = "check " + m.cfg.keyPlace() + ": " + e.Message
	case llm.KindNotFound:
		e.Message = m.notFoundHint(h) + ": " + e.Message
	case llm.KindNoTools:
		e.Message = fmt.Sprintf("choose another model than %s, or have its server call tools: %s", m.cfg.Model, e.Message)
	}
	if e.Retryable() {
		e.RetryAfter = retryAfter(h)
	}
	return e
}

func (m *Model) notFoundHint(h http.Header) string {
	base := displayURL(m.cfg.BaseURL)
	if target := h.Get("Location"); target != "" {
		return fmt.Sprintf("%s redirects to %s, check %s", base, displayURL(target), m.cfg.addressPlace())
	}
	if azure := m.cfg.Azure; azure != nil {
		return fmt.Sprintf("deployment %s at %s, check it and %s", azure.Deployment, base, m.cfg.addressPlace())
	}
	return fmt.Sprintf("model %s at %s, check %s and %s", m.cfg.Model, base, m.cfg.modelPlace(), m.cfg.addressPlace())
}

// reportedError handles servers that report an error with the status 200, or
// in the middle of a stream.
func (m *Model) reportedError(ex *exchange) *llm.Error {
	p := ex.problem()
	if status, err := strconv.Atoi(p.code); err == nil && status >= 400 && status < 600 {
		e := m.statusError(status, ex.header, p)
		e.Usage = ex.billed()
		return e
	}
	e := unusable(ex, firstText(p.message, p.code, "an error without a reason"))
	e.Kind = kindByWords(p)
	return e
}

func unusable(ex *exchange, why string) *llm.Error {
	return &llm.Error{
		Kind: llm.KindBadResponse, Status: ex.status, Message: why,
		RetryAfter: retryAfter(ex.header), Usage: ex.billed(),
	}
}

func (m *Model) undecodable(ex *exchange) string {
	if ex.streamed {
		return "a piece of the stream: " + ex.bad.Error()
	}
	if isHTML(ex.header, ex.body) {
		return htmlText(ex.body) + " instead of JSON, check " + m.cfg.addressPlace()
	}
	if len(ex.body) == 0 {
		return "it is empty"
	}
	return ex.bad.Error()
}

func firstText(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
