// Package openai is a language model behind an OpenAI-compatible server.
//
// Requests that fail for a passing reason are sent again with growing, jittered
// pauses; a server's Retry-After is honoured. Every error of Complete is an
// *llm.Error, one line, never with the key in it; nor is it in an answer, unless
// it is so short that it may be a word.
package openai

import (
	"context"
	"net/http/httptrace"
	"sync/atomic"

	goopenai "github.com/sashabaranov/go-openai"

	"drydock/runtime/llm"
)

// Model is one model of one server. It is safe for concurrent use.
type Model struct {
	cfg     Config
	traits  traits
	reached atomic.Bool // the server has taken a connection before
}

var _ llm.Model = (*Model)(nil)

// New checks the configuration and makes a model of it. It sends nothing. A
// missing or malformed key is an *llm.Error of kind auth.
func New(cfg Config) (*Model, error) {
	cfg = cfg.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	return &Model{cfg: cfg, traits: traitsOf(cfg.Model)}, nil
}

// String describes the model without its key.
func (m *Model) String() string { return m.cfg.String() }

// GoString is String: %#v must not print the key either.
func (m *Model) GoString() string { return m.cfg.String() }

// Complete asks for one assistant turn. Whatever failed attempts were billed
// for is in the response's Discarded, or in the error's Usage.
func (m *Model) Complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	wire, err := m.encode(req)
	if err != nil {
		return llm.Response{}, &llm.Error{Kind: llm.KindBadRequest, Message: err.Error()}
	}
	return m.retry(ctx, func() (llm.Response, *llm.Error) { return m.attempt(ctx, wire) })
}

// attempt sends the request once.
func (m *Model) attempt(ctx context.Context, wire goopenai.ChatCompletionRequest) (llm.Response, *llm.Error) {
	limited, cancel := context.WithTimeout(ctx, m.cfg.Timeout)
	defer cancel()
	limited = httptrace.WithClientTrace(limited, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { m.reached.Store(true) },
	})
	ex := &exchange{
		client:    m.cfg.HTTPClient,
		userAgent: m.cfg.UserAgent,
		greedy:    wire.Temperature == 0 && m.cfg.Temperature != nil && !m.traits.reasoning,
	}
	answer, err := m.client(ex).CreateChatCompletion(limited, wire)
	if fail := m.judge(ctx, ex, answer, err); fail != nil {
		m.clean(fail)
		return llm.Response{}, fail
	}
	resp := decode(answer)
	m.cleanAnswer(&resp)
	return resp, nil
}

// client wires go-openai to one exchange. It holds no state of its own, so one
// for each attempt costs nothing and keeps attempts apart.
func (m *Model) client(ex *exchange) *goopenai.Client {
	cfg := goopenai.DefaultConfig(m.cfg.APIKey)
	cfg.BaseURL = m.cfg.BaseURL
	cfg.HTTPClient = ex
	return goopenai.NewClientWithConfig(cfg)
}
