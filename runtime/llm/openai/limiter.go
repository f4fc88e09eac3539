package openai

import (
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"drydock/runtime/llm"
)

// Limits are what a server lets all runs together do in a minute; 0 is no limit.
type Limits struct {
	RequestsPerMinute int
	TokensPerMinute   int // in and out together
	// Now replaces the clock, so that tests need not sleep.
	Now func() time.Time
}

// Limiter holds the models that share it to their limits together, and has all
// of them wait when the server asks one to. It is safe for concurrent use. A nil
// Limiter limits nothing.
type Limiter struct {
	now      func() time.Time
	requests *rate.Limiter // nil for no limit
	tokens   *rate.Limiter

	mu     sync.Mutex
	resume time.Time // nothing is sent before
	credit int       // tokens that were reserved and not used
}

// NewLimiter makes a limiter that nothing has used yet.
func NewLimiter(l Limits) *Limiter {
	limiter := &Limiter{now: l.Now, requests: perMinute(l.RequestsPerMinute, 6), tokens: perMinute(l.TokensPerMinute, 1)}
	if limiter.now == nil {
		limiter.now = time.Now
	}
	return limiter
}

// perMinute lets a part of a minute's worth go at once.
func perMinute(n, part int) *rate.Limiter {
	if n <= 0 {
		return nil
	}
	return rate.NewLimiter(rate.Limit(float64(n)/60), max(1, n/part))
}

// spread keeps those apart that all waited for the same moment.
const spread = time.Second

// take reserves a request of about so many tokens, and says how long to wait
// before it may be sent.
func (l *Limiter) take(tokens int) time.Duration {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	wait := reserve(l.requests, now, 1)
	use := min(tokens, l.credit)
	l.credit -= use
	wait = max(wait, reserve(l.tokens, now, tokens-use))
	if paused := l.resume.Sub(now); paused > 0 {
		wait = max(wait, paused+rand.N(spread)) //nolint:gosec // not a secret
	}
	return wait
}

// reserve takes more than a minute's worth in parts.
func reserve(l *rate.Limiter, now time.Time, n int) time.Duration {
	if l == nil {
		return 0
	}
	var wait time.Duration
	for n > 0 {
		part := min(n, l.Burst())
		wait = l.ReserveN(now, part).DelayFrom(now)
		n -= part
	}
	return wait
}

// settle corrects what take reserved by what was billed. Where nothing was, the
// server has most likely not counted it.
func (l *Limiter) settle(reserved int, u llm.Usage) {
	if l == nil || l.tokens == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	more := u.InputTokens + u.OutputTokens - reserved
	if more > 0 {
		reserve(l.tokens, l.now(), more)
		return
	}
	l.credit = min(l.credit-more, l.tokens.Burst())
}

// pause has everybody wait.
func (l *Limiter) pause(d time.Duration) {
	if l == nil || d <= 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if until := l.now().Add(d); until.After(l.resume) {
		l.resume = until
	}
}

// What a token and a picture come to, about.
const (
	bytesPerToken  = 4
	tokensPerImage = 1000
)

// estimate is about how many tokens a request has.
func estimate(req llm.Request) int {
	bytes, images := 0, 0
	for _, m := range req.Messages {
		bytes += len(m.Text)
		images += len(m.Images)
		for _, call := range m.ToolCalls {
			bytes += len(call.Name) + len(call.Arguments)
		}
	}
	for _, t := range req.Tools {
		bytes += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	return bytes/bytesPerToken + images*tokensPerImage + 1
}
