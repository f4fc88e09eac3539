package guest

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"drydock/sandbox/wire"
)

// until is a wait's condition. find gives the end of the text waited for, -1
// where it is not; it is nil where none is waited for.
type until struct {
	find           func(string) int
	quiet, timeout time.Duration
}

// usualWait is how long a wait takes at most where nothing is said.
const usualWait = 10 * time.Second

func (s *termSet) until(u wire.TerminalUntil) (until, error) {
	out := until{quiet: u.Quiet, timeout: u.Timeout}
	if out.timeout <= 0 {
		out.timeout = usualWait
	}
	if s.setup.MaxTimeout > 0 {
		out.timeout = min(out.timeout, s.setup.MaxTimeout)
	}
	if len(u.Text) > wire.MaxTerminalPattern || len(u.Pattern) > wire.MaxTerminalPattern {
		return until{}, &failure{wire.CodeTooLarge, fmt.Sprintf("a text to wait for has at most %d bytes", wire.MaxTerminalPattern)}
	}
	switch {
	case u.Pattern != "":
		re, err := regexp.Compile("(?m)" + u.Pattern)
		if err != nil {
			return until{}, &failure{wire.CodeInvalid, fmt.Sprintf("%q is no regular expression (RE2): %v", u.Pattern, err)}
		}
		out.find = func(text string) int {
			if at := re.FindStringIndex(text); at != nil {
				return at[1]
			}
			return -1
		}
	case u.Text != "":
		out.find = func(text string) int {
			if i := strings.Index(text, u.Text); i >= 0 {
				return i + len(u.Text)
			}
			return -1
		}
	}
	return out, nil
}

// screenEvery is how often new output is searched.
const screenEvery = 10 * time.Millisecond

// await waits for a condition and says which part of it came true.
func (t *termSession) await(ctx context.Context, u until) string {
	began := time.Now()
	limit := time.NewTimer(u.timeout)
	defer limit.Stop()
	for {
		t.mu.Lock()
		changed, ended, idle := t.changed, t.ended, !t.busy && len(t.pending) == 0
		since := t.last
		t.mu.Unlock()
		if u.find != nil && t.seen(u.find) {
			return wire.TerminalSeen
		}
		if ended {
			return wire.TerminalEnded
		}
		var quiet <-chan time.Time
		if u.quiet > 0 && idle {
			left := u.quiet - min(time.Since(since), time.Since(began))
			if left <= 0 {
				return wire.TerminalQuiet
			}
			quiet = time.After(left)
		}
		select {
		case <-changed:
			time.Sleep(screenEvery)
		case <-quiet:
		case <-limit.C:
			return wire.TerminalTimeout
		case <-ctx.Done():
			return wire.TerminalTimeout
		}
	}
}

// seen looks for a text in what was printed since the last input, without the
// terminal's echo of it, and on a screen that a full-screen program has drawn
// since. What was found is not found again.
func (t *termSession) seen(find func(string) int) bool {
	t.mu.Lock()
	mark, echo, before := t.mark0, t.echo, t.shown0
	t.mu.Unlock()
	text, from := t.plain.Since(mark)
	if echo != "" && from == mark && strings.HasPrefix(text, echo) {
		text, from = text[len(echo):], from+int64(len(echo))
	}
	end := find(text)
	shown, alternate := "", false
	if end < 0 {
		shown, alternate = t.shown()
		if !alternate || find(shown) < 0 || find(before) >= 0 {
			return false
		}
		end = len(text)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mark0, t.echo, t.shown0 = from+int64(end), "", shown
	return true
}
