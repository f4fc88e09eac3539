package openai

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// The pauses grow from about a second, doubling, each shortened or lengthened
// at random by up to half so that parallel runs do not come back together.
const (
	firstPause   = time.Second
	longestPause = 60 * time.Second
)

// pauses hands out the waits of one request within a total.
type pauses struct {
	growing *backoff.ExponentialBackOff
	total   time.Duration
	began   time.Time
	waited  time.Duration // handed out so far
}

func newPauses(total time.Duration) *pauses {
	growing := backoff.NewExponentialBackOff()
	growing.InitialInterval = firstPause
	growing.Multiplier = 2
	growing.MaxInterval = longestPause
	growing.Reset()
	return &pauses{growing: growing, total: total, began: time.Now()}
}

// next is never shorter than what the server asked for. False means that the
// next attempt would begin after the total. What the attempts took counts as
// well: a server that fails slowly is not waited for longer than another.
func (p *pauses) next(asked time.Duration) (time.Duration, bool) {
	wait := max(asked, min(p.growing.NextBackOff(), longestPause))
	if spent := max(p.waited, time.Since(p.began)); wait > p.total-spent {
		return wait, false
	}
	p.waited += wait
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
