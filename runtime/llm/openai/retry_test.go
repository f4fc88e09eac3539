package openai_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/internal/fakellm"
	"drydock/runtime/llm"
	"drydock/runtime/llm/openai"
)

func TestRetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	const now = "Mon, 02 Jan 2006 15:04:05 GMT"
	tests := map[string]struct {
		headers map[string]string
		want    time.Duration // 0: the model's own pause
	}{
		"seconds":           {map[string]string{"Retry-After": "7"}, 7 * time.Second},
		"fraction":          {map[string]string{"Retry-After": "2.5"}, 2500 * time.Millisecond},
		"date":              {map[string]string{"Date": now, "Retry-After": "Mon, 02 Jan 2006 15:04:35 GMT"}, 30 * time.Second},
		"milliseconds":      {map[string]string{"Retry-After-Ms": "4200"}, 4200 * time.Millisecond},
		"milliseconds win":  {map[string]string{"Retry-After-Ms": "4200", "Retry-After": "9"}, 4200 * time.Millisecond},
		"past date":         {map[string]string{"Date": now, "Retry-After": "Mon, 02 Jan 2006 15:04:04 GMT"}, 0},
		"zero":              {map[string]string{"Retry-After": "0"}, 0},
		"negative":          {map[string]string{"Retry-After": "-5"}, 0},
		"nonsense":          {map[string]string{"Retry-After": "soon"}, 0},
		"not a number":      {map[string]string{"Retry-After": "NaN"}, 0},
		"sooner than ours":  {map[string]string{"Retry-After-Ms": "1"}, 0},
		"none":              {nil, 0},
		"with a busy state": {map[string]string{"Retry-After": "3"}, 3 * time.Second},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			turn := fakellm.Status(503, "busy")
			for header, value := range tt.headers {
				turn = turn.WithHeader(header, value)
			}
			model, j := connect(t, fakellm.New(t, turn, fakellm.Text("ok")))
			_, err := model.Complete(t.Context(), ask("hi"))
			assert.NilError(t, err)
			assert.Equal(t, len(j.waits), 1)
			if tt.want == 0 {
				assertGrowing(t, j.waits)
				return
			}
			assert.Equal(t, j.waits[0], tt.want)
		})
	}
}

func TestARetryAfterPastTheLimitEndsAtOnce(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"3600", "1e300", "99999999999"} {
		srv := fakellm.New(t, fakellm.Status(429, "daily limit").WithHeader("Retry-After", value))
		model, j := connect(t, srv)
		_, err := model.Complete(t.Context(), ask("hi"))
		e := typed(t, err)
		assert.Equal(t, e.Kind, llm.KindRateLimit)
		assert.Assert(t, e.RetryAfter >= time.Hour)
		assert.ErrorContains(t, err, "past the limit of 10m0s for all tries: daily limit")
		assert.Equal(t, len(j.waits), 0)
		assert.Equal(t, len(srv.Requests()), 1)
	}
}

func TestAllWaitsTogetherAreBounded(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, times(20, fakellm.Status(429, "wait").WithHeader("Retry-After", "40"))...)
	model, j := connect(t, srv, func(c *openai.Config) {
		c.MaxAttempts, c.MaxRetryTime = 20, 100*time.Second
	})
	_, err := model.Complete(t.Context(), ask("hi"))
	assert.ErrorContains(t, err, "past the limit of 1m40s")
	assert.DeepEqual(t, j.waits, []time.Duration{40 * time.Second, 40 * time.Second})
	assert.Equal(t, len(srv.Requests()), 3)
}

func TestOneAttemptNeverRetries(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Status(500, "oops"), fakellm.Text("unused"))
	model, j := connect(t, srv, func(c *openai.Config) { c.MaxAttempts = 1 })
	_, err := model.Complete(t.Context(), ask("hi"))
	assert.Equal(t, err.Error(), "the model server is failing or overloaded (500): oops")
	assert.Equal(t, len(j.retries), 0)
}

func TestEachWaitIsReportedBeforeItBegins(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Status(429, "slow").WithHeader("Retry-After", "5"), fakellm.Reset(), fakellm.Text("ok"))
	var reported []openai.Retry
	model, _ := connect(t, srv, func(c *openai.Config) {
		c.OnRetry = func(r openai.Retry) { reported = append(reported, r) }
		c.Pause = func(_ context.Context, d time.Duration) error {
			assert.Check(t, reported[len(reported)-1].Wait == d)
			return nil
		}
	})
	_, err := model.Complete(t.Context(), ask("hi"))
	assert.NilError(t, err)
	assert.Equal(t, len(reported), 2)
	assert.Equal(t, reported[0], openai.Retry{
		Attempt: 1, Wait: 5 * time.Second, Status: 429,
		Reason: "the model server limits the rate of requests (429): slow",
	})
	assert.Equal(t, reported[1].Attempt, 2)
	assert.Equal(t, reported[1].Status, 0)
	assert.Assert(t, strings.Contains(reported[1].Reason, "connection reset"))
}

func TestCancelEndsARequestInFlight(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Hang("late"))
	model, j := connect(t, srv)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		if srv.Await(t.Context(), 1) == nil {
			cancel()
		}
	}()
	_, err := model.Complete(ctx, ask("hi"))
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, typed(t, err).Kind, llm.KindCanceled)
	assert.Equal(t, len(j.waits), 0)
}

func TestCancelEndsARealPause(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.NoChoices(fakellm.Usage{Prompt: 11}).WithHeader("Retry-After", "500"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	model, _ := connect(t, srv, func(c *openai.Config) {
		c.Pause = nil
		c.OnRetry = func(openai.Retry) { cancel() }
	})
	_, err := model.Complete(ctx, ask("hi"))
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, typed(t, err).Usage.InputTokens, 11, "what was billed before is still known")
}

func TestACanceledContextSendsNothing(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Text("unused"))
	model, _ := connect(t, srv)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := model.Complete(ctx, ask("hi"))
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, len(srv.Requests()), 0)
}

func TestASilentServerIsAskedAgain(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Hang("late"), fakellm.Text("prompt"))
	model, j := connect(t, srv, func(c *openai.Config) { c.Timeout = 100 * time.Millisecond })
	resp, err := model.Complete(t.Context(), ask("hi"))
	assert.NilError(t, err)
	assert.Equal(t, resp.Message.Text, "prompt")
	assert.Assert(t, strings.Contains(j.retries[0].Reason, "no complete answer in time (the limit is 100ms)"), j.retries[0].Reason)
}

func TestTheCallersDeadlineIsNotRetried(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Hang("late"))
	model, j := connect(t, srv)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := model.Complete(ctx, ask("hi"))
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Equal(t, typed(t, err).Kind, llm.KindCanceled)
	assert.Equal(t, len(j.waits), 0)
}

// A server that was never reached is most likely not there.
func TestAWrongAddressIsFoundOutSoon(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	assert.NilError(t, err)
	address := "http://" + listener.Addr().String() + "/v1"
	assert.NilError(t, listener.Close())

	model, j := connect(t, fakellm.New(t), func(c *openai.Config) { c.BaseURL = address })
	_, err = model.Complete(t.Context(), ask("hi"))
	assert.Equal(t, typed(t, err).Kind, llm.KindNetwork)
	assert.ErrorContains(t, err, "connection refused")
	assert.ErrorContains(t, err, address)
	assert.Equal(t, len(j.waits), 2)
}

func TestAServerThatGoesAwayIsWaitedFor(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Text("ok"))
	model, j := connect(t, srv)
	_, err := model.Complete(t.Context(), ask("hi"))
	assert.NilError(t, err)
	srv.Close()
	_, err = model.Complete(t.Context(), ask("hi"))
	assert.Equal(t, typed(t, err).Kind, llm.KindNetwork)
	assert.Equal(t, len(j.waits), 7)
}

func TestTLSProblemsAreNotRetried(t *testing.T) {
	t.Parallel()
	srv := httptest.NewUnstartedServer(fakellm.NewHandler(fakellm.Text("unused")))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0) // it reports each refused handshake
	srv.StartTLS()
	defer srv.Close()
	model, j := connect(t, fakellm.New(t), func(c *openai.Config) { c.BaseURL = srv.URL + "/v1" })
	_, err := model.Complete(t.Context(), ask("hi"))
	e := typed(t, err)
	assert.Assert(t, e.Kind == llm.KindNetwork && e.Permanent, "%v", err)
	assert.ErrorContains(t, err, "certificate")

	plain := fakellm.New(t)
	model, _ = connect(t, plain, func(c *openai.Config) {
		c.BaseURL = strings.Replace(plain.URL(), "http://", "https://", 1)
	})
	_, err = model.Complete(t.Context(), ask("hi"))
	assert.Assert(t, typed(t, err).Permanent, "%v", err)
	assert.Equal(t, len(j.waits), 0)
}

func TestAnEndlessAnswerIsCut(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		block := []byte(strings.Repeat(" ", 1<<20))
		for {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	}))
	defer srv.Close()
	model, j := connect(t, fakellm.New(t), func(c *openai.Config) { c.BaseURL = srv.URL })
	_, err := model.Complete(t.Context(), ask("hi"))
	assert.Equal(t, typed(t, err).Kind, llm.KindBadResponse)
	assert.ErrorContains(t, err, "over 32 MiB")
	assert.Equal(t, len(j.waits), 0)
}

func TestBilledButUnusableAnswersAreCounted(t *testing.T) {
	t.Parallel()
	empty := fakellm.NoChoices(fakellm.Usage{Prompt: 100, Completion: 20, Cached: 60})
	srv := fakellm.New(t, empty, empty, fakellm.Text("ok").WithUsage(100, 5))
	model, _ := connect(t, srv)
	resp, err := model.Complete(t.Context(), ask("hi"))
	assert.NilError(t, err)
	assert.Equal(t, resp.Usage, llm.Usage{InputTokens: 100, OutputTokens: 5})
	assert.Equal(t, resp.Discarded, llm.Usage{InputTokens: 200, OutputTokens: 40, CachedTokens: 120})
	assert.Equal(t, resp.Billed().InputTokens, 300)

	wrongShape := fakellm.Body(200, "application/json",
		`{"choices":[{"message":{"role":"assistant","tool_calls":7}}],"usage":{"prompt_tokens":9,"completion_tokens":1}}`)
	srv = fakellm.New(t, empty, wrongShape, fakellm.Status(401, "revoked"))
	model, _ = connect(t, srv)
	_, err = model.Complete(t.Context(), ask("hi"))
	e := typed(t, err)
	assert.Equal(t, e.Kind, llm.KindAuth)
	assert.Equal(t, e.Usage, llm.Usage{InputTokens: 109, OutputTokens: 21, CachedTokens: 60})
}

func TestAPauseThatFailsEndsTheCall(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Status(500, "oops"))
	stop := errors.New("stopped by hand")
	model, _ := connect(t, srv, func(c *openai.Config) {
		c.Pause = func(context.Context, time.Duration) error { return stop }
	})
	_, err := model.Complete(t.Context(), ask("hi"))
	assert.ErrorIs(t, err, stop)
}
