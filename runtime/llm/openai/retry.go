package openai

import (
	"context"
	"fmt"
	"time"

	goopenai "github.com/sashabaranov/go-openai"

	"drydock/runtime/llm"
)

const (
	// maxUnusable bounds how many unusable answers are paid for.
	maxUnusable = 3
	// maxFirstContact bounds the attempts to connect to a server that has
	// never been reached: most likely its address is wrong.
	maxFirstContact = 3
)

// Retry tells of a pause before another attempt.
type Retry struct {
	Attempt int           // the attempt that failed, from 1
	Wait    time.Duration // the pause that begins now; 0 where the request is changed instead
	Status  int           // the HTTP status, or 0 if there was no answer
	Reason  string        // one line, without any secret
}

// adapting sends a request, and again without what the server refuses of it. It
// comes to an end because each time there is less to leave out.
func (m *Model) adapting(ctx context.Context, wire goopenai.ChatCompletionRequest, attempt int) (llm.Response, *llm.Error) {
	for {
		asked := m.habits.apply(wire)
		resp, p, fail := m.attempt(ctx, asked)
		if fail == nil {
			return resp, nil
		}
		refused := m.habits.learn(asked, fail, p)
		if refused == "" {
			return resp, fail
		}
		m.report(Retry{Attempt: attempt, Status: fail.Status, Reason: m.without(refused)})
	}
}

func (m *Model) retry(ctx context.Context, tokens int, try func(attempt int) (llm.Response, *llm.Error)) (llm.Response, error) {
	pauses := newPauses(m.cfg.MaxRetryTime)
	var billed llm.Usage
	for attempt := 1; ; attempt++ {
		if err := m.admit(ctx, tokens); err != nil {
			return llm.Response{}, canceled(err, billed)
		}
		resp, fail := try(attempt)
		if fail == nil {
			m.cfg.Limiter.settle(tokens, resp.Usage)
			resp.Discarded = billed
			return resp, nil
		}
		m.cfg.Limiter.settle(tokens, fail.Usage)
		billed = billed.Add(fail.Usage)
		fail.Usage = billed
		if !fail.Retryable() || attempt >= m.maxAttempts(fail.Kind) {
			return llm.Response{}, giveUp(fail, attempt, "")
		}
		wait, ok := pauses.next(fail.RetryAfter)
		if !ok {
			return llm.Response{}, giveUp(fail, attempt, tooLong(wait, m.cfg.MaxRetryTime))
		}
		if fail.Kind == llm.KindRateLimit {
			m.cfg.Limiter.pause(fail.RetryAfter)
		}
		m.report(Retry{Attempt: attempt, Wait: wait, Status: fail.Status, Reason: fail.Error()})
		if err := m.cfg.Pause(ctx, wait); err != nil {
			return llm.Response{}, canceled(err, billed)
		}
	}
}

// admit waits until the limiter lets a request go.
func (m *Model) admit(ctx context.Context, tokens int) error {
	wait := m.cfg.Limiter.take(tokens)
	if wait <= 0 {
		return nil
	}
	if m.cfg.OnWait != nil {
		m.cfg.OnWait(wait)
	}
	return m.cfg.Pause(ctx, wait)
}

func canceled(err error, billed llm.Usage) *llm.Error {
	return &llm.Error{
		Kind: llm.KindCanceled, Message: "while waiting to ask: " + err.Error(), Usage: billed, Err: err,
	}
}

func (m *Model) report(r Retry) {
	if m.cfg.OnRetry != nil {
		m.cfg.OnRetry(r)
	}
}

func (m *Model) maxAttempts(kind llm.Kind) int {
	switch {
	case kind == llm.KindBadResponse:
		return min(m.cfg.MaxAttempts, maxUnusable)
	case kind == llm.KindNetwork && !m.reached.Load():
		return min(m.cfg.MaxAttempts, maxFirstContact)
	default:
		return m.cfg.MaxAttempts
	}
}

func giveUp(fail *llm.Error, attempts int, why string) *llm.Error {
	if attempts > 1 {
		fail.Message = fmt.Sprintf("gave up after %d attempts: %s", attempts, fail.Message)
	}
	if why != "" {
		fail.Message = why + ": " + fail.Message
	}
	return fail
}

func tooLong(wait, limit time.Duration) string {
	return fmt.Sprintf("the next try would be in %s, past the limit of %s for all tries",
		wait.Round(time.Millisecond), limit)
}
