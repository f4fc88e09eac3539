package sandbox

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// beat is the time between two looks at the guest while it has something to
// answer. All other times are counted in beats that really came: a process that
// gets no time of its own must not blame the guest for it.
const beat = 250 * time.Millisecond

// What the host puts up with, in beats.
const (
	quiet     = 4         // without a sign of life, after which the engine is asked
	deaf      = 3 * quiet // without a sign of life, while the engine does not answer either
	patience  = 40        // without a sign of life, for a request that has no deadline
	overshoot = 6         // after a request's deadline, from a guest that gives no sign though it could
	overrun   = 120       // from any other: a busy machine may need long to end a call
)

// bulk is how many bytes in a beat are a sign of life by themselves: the answer
// to a ping may wait behind them. A trickle is none, since on a stream that has
// got out of step the answers to pings go on without ever being understood.
const bulk = 1 << 10

// How long the engine may take to say what it knows of a container: when a
// request waits for it, and when the guest is merely being watched.
const (
	stateLimit = time.Second
	watchLimit = 3 * time.Second
)

var (
	errSilent  = errors.New("the guest does not answer")
	errOverdue = errors.New("the guest does not end a call whose time is up")
)

// pulse watches the guest for as long as requests are in flight, and ends all
// of them when the guest will not answer any more.
type pulse struct {
	beat  time.Duration
	ping  func() error                // succeeds once the guest has answered
	state func(context.Context) State // asks the engine
	close func()                      // lets go of the stream
	bytes atomic.Int64                // that arrived
	pongs atomic.Int64                // pings that were answered
	busy  atomic.Bool                 // a ping is on its way

	mu      sync.Mutex
	flights map[*flight]struct{}
	start   *time.Timer   // of the watching, which most requests are too short for
	stop    chan struct{} // ends it; nil while nothing is in flight

	losing sync.Once
	fact   atomic.Pointer[fact]
}

// flight is a request that has not been answered to its end.
type flight struct {
	due    time.Time // zero for no deadline
	cancel context.CancelCauseFunc
}

// fact is why a sandbox is lost: what was seen, and what the engine said then.
type fact struct {
	err   error
	state State
}

// begin registers a request. Its context ends when the sandbox is lost; end must
// be called once it is over.
func (p *pulse) begin(ctx context.Context, due time.Time) (watched context.Context, end func()) {
	f := &flight{due: due}
	watched, f.cancel = context.WithCancelCause(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.fact.Load(); known != nil {
		f.cancel(known.err)
		return watched, func() {}
	}
	if p.flights == nil {
		p.flights = map[*flight]struct{}{}
	}
	p.flights[f] = struct{}{}
	if p.stop == nil {
		stop := make(chan struct{})
		p.stop, p.start = stop, time.AfterFunc(p.beat, func() { p.watch(stop) })
	}
	return watched, func() { p.end(f) }
}

func (p *pulse) end(f *flight) {
	f.cancel(nil)
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.flights, f)
	if len(p.flights) == 0 && p.stop != nil {
		p.start.Stop()
		close(p.stop)
		p.stop, p.start = nil, nil
	}
}

// watch looks at the guest until nothing is in flight.
func (p *pulse) watch(stop <-chan struct{}) {
	ticks := time.NewTicker(p.beat)
	defer ticks.Stop()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	l := listener{pulse: p, bytes: p.bytes.Load(), pongs: p.pongs.Load(), answers: make(chan State, 1)}
	l.tick(ctx, time.Now())
	for {
		select {
		case <-stop:
			return
		case state := <-l.answers:
			l.hear(state)
		case now := <-ticks.C:
			l.tick(ctx, now)
		}
		if err := l.verdict(); err != nil {
			p.lose(err, func() State { return l.known })
			return
		}
	}
}

// lose declares the sandbox lost, for the first reason that comes: it ends what
// is in flight and lets go of the stream, so that the guest ends everything.
func (p *pulse) lose(err error, state func() State) fact {
	p.losing.Do(func() {
		f := &fact{err: err, state: state()}
		p.mu.Lock()
		p.fact.Store(f)
		for flight := range p.flights {
			flight.cancel(err)
		}
		p.mu.Unlock()
		p.close()
	})
	return *p.fact.Load()
}

// listener is what one watch has heard.
type listener struct {
	pulse   *pulse
	bytes   int64     // that had arrived at the last tick
	pongs   int64     // and pings that had been answered
	silent  int       // ticks without a sign of life since the last one
	now     time.Time // of the last tick
	asked   bool      // the engine has not answered yet
	known   State     // what it answered last
	answers chan State
}

func (l *listener) tick(ctx context.Context, now time.Time) {
	l.now = now
	l.pulse.prod()
	bytes, pongs := l.pulse.bytes.Load(), l.pulse.pongs.Load()
	alive := pongs != l.pongs || bytes-l.bytes >= bulk
	l.bytes, l.pongs = bytes, pongs
	if alive {
		l.silent, l.known = 0, State{}
		return
	}
	l.silent++
	if l.silent%quiet == 0 && !l.asked {
		l.asked = true
		go func() {
			ctx, cancel := context.WithTimeout(ctx, watchLimit)
			defer cancel()
			l.answers <- l.pulse.state(ctx)
		}()
	}
}

// hear takes the engine's answer, unless the guest was faster.
func (l *listener) hear(state State) {
	l.asked = false
	if l.silent >= quiet {
		l.known = state
	}
}

// verdict says why the sandbox is lost, nil as long as it is not. A guest that
// is silent while its container works hard gets the time of one that answers:
// it may be waiting for its turn.
func (l *listener) verdict() error {
	switch p := l.pulse; {
	case l.silent < quiet:
		return p.overdue(l.now, overrun, errOverdue)
	case l.known.Stopped:
		return errSilent
	case l.known.Idle, l.known.Unknown && l.silent >= deaf:
		if l.silent >= patience && p.anyWithoutDeadline() {
			return errSilent
		}
		return p.overdue(l.now, overshoot, errSilent)
	case l.silent >= overrun && p.anyWithoutDeadline():
		return errSilent
	default:
		return p.overdue(l.now, overrun, errSilent)
	}
}

// overdue gives the error when a request's deadline is more than so many beats ago.
func (p *pulse) overdue(now time.Time, beats int, err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for f := range p.flights {
		if !f.due.IsZero() && now.Sub(f.due) > time.Duration(beats)*p.beat {
			return err
		}
	}
	return nil
}

func (p *pulse) anyWithoutDeadline() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for f := range p.flights {
		if f.due.IsZero() {
			return true
		}
	}
	return false
}

// prod asks the guest for a sign of life, unless it has been asked already.
func (p *pulse) prod() {
	if p.busy.CompareAndSwap(false, true) {
		go func() {
			if p.ping() == nil {
				p.pongs.Add(1)
			}
			p.busy.Store(false)
		}()
	}
}

// heard is a stream that counts what arrives.
type heard struct {
	io.ReadWriteCloser
	bytes *atomic.Int64
}

func (h heard) Read(b []byte) (int, error) {
	n, err := h.ReadWriteCloser.Read(b)
	h.bytes.Add(int64(n))
	return n, err
}
