package openai_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"gotest.tools/v3/assert"

	"drydock/internal/fakellm"
	"drydock/runtime/llm"
	"drydock/runtime/llm/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testKey = "sk-canary-0123456789"

// journal notes the pauses that a model asks for and lets them pass at once.
type journal struct {
	mu      sync.Mutex
	retries []openai.Retry
	waits   []time.Duration
}

func (j *journal) onRetry(r openai.Retry) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.retries = append(j.retries, r)
}

func (j *journal) pause(ctx context.Context, d time.Duration) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.waits = append(j.waits, d)
	return ctx.Err()
}

// connect makes a model for the server, with what edit changes.
func connect(t *testing.T, srv *fakellm.Server, edit ...func(*openai.Config)) (*openai.Model, *journal) {
	t.Helper()
	j := &journal{}
	cfg := openai.Config{
		APIKey: testKey, BaseURL: srv.URL(), Model: fakellm.ModelName,
		OnRetry: j.onRetry, Pause: j.pause,
	}
	for _, change := range edit {
		change(&cfg)
	}
	model, err := openai.New(cfg)
	assert.NilError(t, err)
	return model, j
}

func ask(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: text}}}
}

func typed(t *testing.T, err error) *llm.Error {
	t.Helper()
	var e *llm.Error
	assert.Assert(t, errors.As(err, &e), "not an *llm.Error: %v", err)
	return e
}

func times(n int, turn fakellm.Turn) []fakellm.Turn {
	turns := make([]fakellm.Turn, n)
	for i := range turns {
		turns[i] = turn
	}
	return turns
}
