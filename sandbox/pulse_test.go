package sandbox

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"gotest.tools/v3/assert"
)

// testBeat makes a pulse fast enough to test, and slow enough for a busy machine.
const testBeat = 20 * time.Millisecond

// patient is a pulse with a guest and an engine that are functions.
type patient struct {
	*pulse
	closed atomic.Int32
}

func watch(alive bool, state func(context.Context) State) *patient {
	p := &patient{pulse: &pulse{beat: testBeat, state: state}}
	p.ping = func() error {
		if alive {
			return nil
		}
		return errSilent
	}
	p.close = func() { p.closed.Add(1) }
	return p
}

func idle(context.Context) State { return State{Idle: true, Text: "idle"} }

func busy(context.Context) State { return State{Text: "busy"} }

func unknown(context.Context) State { return State{Unknown: true, Text: "unknown"} }

// hanging is an engine that has not answered yet.
func hanging(ctx context.Context) State {
	<-ctx.Done()
	return State{Unknown: true}
}

func TestPulse(t *testing.T) {
	beats := func(n int) time.Duration { return time.Duration(n) * testBeat }
	const margin = 200 // beats that a busy machine may add
	for name, row := range map[string]struct {
		alive         bool
		state         func(context.Context) State
		limit         time.Duration // 0 for none
		after, before int           // beats
		want          error
		text          string
	}{
		"paused": {
			state: func(context.Context) State { return State{Stopped: true, Text: "paused"} }, limit: time.Hour,
			after: quiet - 1, before: quiet + margin, want: errSilent, text: "paused",
		},
		"stopped by something the engine does not know": {
			state: idle, limit: beats(30), after: 30 + overshoot - 1, before: 30 + overshoot + margin, want: errSilent, text: "idle",
		},
		"without a deadline": {state: idle, after: patience - 1, before: patience + margin, want: errSilent, text: "idle"},
		"the engine does not answer either": {
			state: unknown, limit: beats(20), after: 20 + overshoot - 1, before: 20 + overshoot + margin, want: errSilent, text: "unknown",
		},
		"waiting for its turn": {
			state: busy, limit: beats(20), after: 20 + overrun - 1, before: 20 + overrun + margin, want: errSilent, text: "busy",
		},
		"waiting without a deadline": {state: busy, after: overrun - 1, before: overrun + margin, want: errSilent, text: "busy"},
		"alive but no end":           {alive: true, state: idle, limit: testBeat, after: overrun, before: overrun + margin, want: errOverdue},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := watch(row.alive, row.state)
			began := time.Now()
			var due time.Time
			if row.limit > 0 {
				due = began.Add(row.limit)
			}
			first, endFirst := p.begin(t.Context(), due)
			second, endSecond := p.begin(t.Context(), began.Add(time.Hour))
			<-first.Done()
			took := time.Since(began)
			assert.ErrorIs(t, context.Cause(first), row.want)
			assert.Assert(t, took >= beats(row.after) && took < beats(row.before), "took %d beats", took/testBeat)

			<-second.Done() // all that is in flight ends, and what comes later at once
			assert.ErrorIs(t, context.Cause(second), row.want)
			later, endLater := p.begin(t.Context(), time.Time{})
			assert.ErrorIs(t, context.Cause(later), row.want)
			f := p.lose(errors.New("another reason"), func() State { return State{Text: "another"} })
			assert.ErrorIs(t, f.err, row.want)
			assert.Equal(t, f.state.Text, row.text)
			assert.Equal(t, p.closed.Load(), int32(1))
			endFirst()
			endSecond()
			endLater()
		})
	}
}

// A guest that answers may take as long as it likes where nothing sets a limit.
func TestPulseOfALongRequest(t *testing.T) {
	t.Parallel()
	p := watch(true, idle)
	ctx, end := p.begin(t.Context(), time.Time{})
	defer end()
	select {
	case <-ctx.Done():
		t.Fatal(context.Cause(ctx))
	case <-time.After(2 * patience * testBeat):
	}
}

// What arrives in bulk is a sign of life, a trickle is none.
func TestPulseHearsWhatArrives(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		arriving int64         // bytes in half a beat
		lasting  time.Duration // of the watching at most
		want     error
	}{
		{bulk, 2 * patience * testBeat, nil},
		{bulk / 8, 20 * time.Second, errSilent},
	} {
		p := watch(false, idle)
		ctx, end := p.begin(t.Context(), time.Time{})
		steps, until := time.NewTicker(testBeat/2), time.After(row.lasting)
		for waiting := true; waiting; {
			select {
			case <-steps.C:
				p.bytes.Add(row.arriving)
			case <-ctx.Done():
				waiting = false
			case <-until:
				waiting = false
			}
		}
		assert.ErrorIs(t, context.Cause(ctx), row.want)
		steps.Stop()
		end()
	}
}

// An engine that calls the container stopped is not believed while the guest
// gives signs of life.
func TestPulseBelievesTheGuestFirst(t *testing.T) {
	t.Parallel()
	p := watch(true, func(context.Context) State { return State{Stopped: true} })
	ctx, end := p.begin(t.Context(), time.Time{})
	defer end()
	select {
	case <-ctx.Done():
		t.Fatal(context.Cause(ctx))
	case <-time.After(5 * quiet * testBeat):
	}
}

// Nothing runs for a sandbox that has nothing to answer.
func TestPulseRests(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	p := watch(false, hanging)
	for range 3 {
		_, endFirst := p.begin(t.Context(), time.Time{})
		_, endSecond := p.begin(t.Context(), time.Time{})
		time.Sleep((quiet + 2) * testBeat) // until the engine has been asked
		endFirst()
		endSecond()
		goleak.VerifyNone(t, ignore)
	}
	assert.Assert(t, p.fact.Load() == nil)
}
