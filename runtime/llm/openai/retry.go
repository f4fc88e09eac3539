package openai

import (
	"context"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"

	"drydock/runtime/llm"
)

// The pauses grow from about a second, doubling, each shortened or lengthened
// at random by up to half so that parallel runs do not come back together.
const (
	firstPause   = time.Second
	longestPause = 60 * time.Second
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
	Wait    time.Duration // the pause that begins now
	Status  int           // the HTTP status, or 0 if there was no answer
	Reason  string        // one line, without any secret
}

func (m *Model) retry(ctx context.Context, try func() (llm.Response, *llm.Error)) (llm.Response, error) {
	pauses := newPauses(m.cfg.MaxRetryWait)
	var billed llm.Usage
	for attempt := 1; ; attempt++ {
		resp, fail := try()
		if fail == nil {
			resp.Discarded = billed
			return resp, nil
		}
		billed = billed.Add(fail.Usage)
		fail.Usage = billed
		if !fail.Retryable() || attempt >= m.maxAttempts(fail.Kind) {
			return llm.Response{}, giveUp(fail, attempt, "")
		}
		wait, ok := pauses.next(fail.RetryAfter)
		if !ok {
			return llm.Response{}, giveUp(fail, attempt, tooLong(wait, m.cfg.MaxRetryWait))
		}
		if m.cfg.OnRetry != nil {
			m.cfg.OnRetry(Retry{Attempt: attempt, Wait: wait, Status: fail.Status, Reason: fail.Error()})
		}
		if err := m.cfg.Pause(ctx, wait); err != nil {
			return llm.Response{}, &llm.Error{
				Kind: llm.KindCanceled, Message: "while waiting to try again: " + err.Error(), Usage: billed, Err: err,
			}
		}
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
	return fmt.Sprintf("the next try would be in %s, past the limit of %s for all waits",
		wait.Round(time.Millisecond), limit)
}

// pauses hands out the waits of one request within a total.
type pauses struct {
	growing *backoff.ExponentialBackOff
	left    time.Duration
}

func newPauses(total time.Duration) *pauses {
	growing := backoff.NewExponentialBackOff()
	growing.InitialInterval = firstPause
	growing.Multiplier = 2
	growing.MaxInterval = longestPause
	growing.Reset()
	return &pauses{growing: growing, left: total}
}

// next is never shorter than what the server asked for. False means that it
// would exceed what is left of the total.
func (p *pauses) next(asked time.Duration) (time.Duration, bool) {
	wait := max(asked, min(p.growing.NextBackOff(), longestPause))
	if wait > p.left {
		return wait, false
	}
	p.left -= wait
	return wait, true
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
