// Package openai is a language model behind an OpenAI-compatible server, or one
// of Azure OpenAI.
//
// Answers are streamed unless the server cannot. Requests that fail for a
// passing reason are sent again with growing, jittered pauses; a server's
// Retry-After is honoured. Every error of Complete is an *llm.Error, one line,
// never with the key in it; nor is it in an answer, unless it is so short that
// it may be a word.
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
	habits  habits
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
	m := &Model{cfg: cfg}
	m.habits.start(cfg)
	return m, nil
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
	try := func(attempt int) (llm.Response, *llm.Error) { return m.adapting(ctx, wire, attempt) }
	return m.retry(ctx, estimate(req), try)
}

// attempt sends the request once. The problem is what the server said of a
// failure.
func (m *Model) attempt(ctx context.Context, wire goopenai.ChatCompletionRequest) (llm.Response, problem, *llm.Error) {
	limited, watch := m.watch(ctx, wire.Stream)
	defer watch.end()
	limited = httptrace.WithClientTrace(limited, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { m.reached.Store(true) },
	})
	live := m.newLiveText()
	ex := &exchange{
		client:    m.cfg.HTTPClient,
		userAgent: m.cfg.UserAgent,
		greedy:    wire.Temperature == 0 && m.cfg.Temperature != nil && m.habits.takesTemperature(),
		watch:     watch,
		onText:    live.add,
	}
	err := m.send(limited, ex, wire)
	if fail := m.judge(ctx, ex, err); fail != nil {
		m.clean(fail)
		return llm.Response{}, ex.problem(), fail
	}
	live.flush()
	resp := ex.reply.response()
	m.cleanAnswer(&resp)
	return resp, problem{}, nil
}

// send has go-openai make the request; what comes back is in the exchange.
func (m *Model) send(ctx context.Context, ex *exchange, wire goopenai.ChatCompletionRequest) error {
	if !wire.Stream {
		_, err := m.client(ex).CreateChatCompletion(ctx, wire)
		return err
	}
	stream, err := m.client(ex).CreateChatCompletionStream(ctx, wire)
	if err != nil {
		return err
	}
	return stream.Close()
}

// client wires go-openai to one exchange. It holds no state of its own, so one
// for each attempt costs nothing and keeps attempts apart.
func (m *Model) client(ex *exchange) *goopenai.Client {
	cfg := goopenai.DefaultConfig(m.cfg.APIKey)
	if azure := m.cfg.Azure; azure != nil {
		cfg = goopenai.DefaultAzureConfig(m.cfg.APIKey, m.cfg.BaseURL)
		cfg.APIVersion = azure.APIVersion
		cfg.AzureModelMapperFunc = func(string) string { return azure.Deployment }
	}
	cfg.BaseURL = m.cfg.BaseURL
	cfg.HTTPClient = ex
	return goopenai.NewClientWithConfig(cfg)
}
