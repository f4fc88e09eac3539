package openai_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/internal/fakellm"
	"drydock/runtime/llm"
	"drydock/runtime/llm/openai"
)

// clock goes on only when somebody waits.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Unix(1_000_000, 0)} }

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pause(_ context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return nil
}

// limited makes models that share a limiter, as several runs of one program do.
func limited(t *testing.T, srv *fakellm.Server, c *clock, limits openai.Limits, n int) ([]*openai.Model, *[]time.Duration) {
	t.Helper()
	limits.Now = c.time
	limiter := openai.NewLimiter(limits)
	var waits []time.Duration
	var models []*openai.Model
	for range n {
		m, _ := connect(t, srv, func(cfg *openai.Config) {
			cfg.Limiter, cfg.Pause = limiter, c.pause
			cfg.OnWait = func(d time.Duration) { waits = append(waits, d) }
		})
		models = append(models, m)
	}
	return models, &waits
}

func TestRequestsPerMinuteOfAllRuns(t *testing.T) {
	t.Parallel()
	c := newClock()
	srv := fakellm.New(t, times(30, fakellm.Text("ok"))...)
	models, waits := limited(t, srv, c, openai.Limits{RequestsPerMinute: 12}, 2)
	began := c.time()
	for i := range 26 {
		_, err := models[i%2].Complete(t.Context(), ask("hi"))
		assert.NilError(t, err)
	}
	assert.Equal(t, len(*waits), 24, "two go at once")
	assert.Equal(t, c.time().Sub(began).Round(time.Second), 2*time.Minute)
}

func TestTokensPerMinuteAreThoseThatWereBilled(t *testing.T) {
	t.Parallel()
	c := newClock()
	srv := fakellm.New(t, times(4, fakellm.Text("ok").WithUsage(5900, 100))...)
	models, waits := limited(t, srv, c, openai.Limits{TokensPerMinute: 6000}, 1)
	began := c.time()
	for range 4 {
		_, err := models[0].Complete(t.Context(), ask("hi"))
		assert.NilError(t, err)
	}
	assert.Equal(t, len(*waits), 3)
	took := c.time().Sub(began)
	assert.Assert(t, took > 2*time.Minute && took < 4*time.Minute, "%s", took)
}

// A request beyond a minute's worth waits its time and goes.
func TestARequestBeyondTheLimitGoesInTheEnd(t *testing.T) {
	t.Parallel()
	c := newClock()
	srv := fakellm.New(t, fakellm.Text("ok"))
	models, waits := limited(t, srv, c, openai.Limits{TokensPerMinute: 100}, 1)
	_, err := models[0].Complete(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: string(make([]byte, 4000))}}})
	assert.NilError(t, err)
	assert.Equal(t, len(*waits), 1)
	assert.Assert(t, (*waits)[0] > 8*time.Minute && (*waits)[0] < 10*time.Minute, "%s", (*waits)[0])
}

// When a server asks one run to wait, the others wait as well.
func TestARetryAfterPausesAllRuns(t *testing.T) {
	t.Parallel()
	c := newClock()
	srv := fakellm.New(t, fakellm.Status(429, "slow down").WithHeader("Retry-After", "30"), fakellm.Text("second"))
	limiter := openai.NewLimiter(openai.Limits{Now: c.time})
	var waits []time.Duration
	other, _ := connect(t, srv, func(cfg *openai.Config) {
		cfg.Limiter, cfg.Pause = limiter, c.pause
		cfg.OnWait = func(d time.Duration) { waits = append(waits, d) }
	})
	var second llm.Response
	first, _ := connect(t, srv, func(cfg *openai.Config) {
		cfg.Limiter = limiter
		cfg.Pause = func(context.Context, time.Duration) error { // meanwhile
			var err error
			second, err = other.Complete(t.Context(), ask("hi"))
			assert.NilError(t, err)
			return context.Canceled
		}
	})
	_, err := first.Complete(t.Context(), ask("hi"))
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, second.Message.Text, "second")
	assert.Equal(t, len(waits), 1)
	assert.Assert(t, waits[0] >= 30*time.Second && waits[0] <= 31*time.Second, "%s", waits[0])
}

func TestNoLimiterLimitsNothing(t *testing.T) {
	t.Parallel()
	c := newClock()
	srv := fakellm.New(t, times(50, fakellm.Text("ok").WithUsage(1_000_000, 1))...)
	models, waits := limited(t, srv, c, openai.Limits{}, 1)
	for range 50 {
		_, err := models[0].Complete(t.Context(), ask("hi"))
		assert.NilError(t, err)
	}
	assert.Equal(t, len(*waits), 0)
}
