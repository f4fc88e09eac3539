// Package sandbox is what a sandbox is: the policy it is made under, the calls
// it answers, how calls end, and the process-wide client that owns every open
// sandbox.
//
// A failure inside the sandbox is a Result or a *CallError; a failure of the
// sandbox itself is a *LostError, an *EngineError or an *ImageError.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/hashicorp/yamux"

	"drydock/sandbox/wire"
)

// timing is how long a guest is waited for.
type timing struct {
	hello time.Duration // from its start to its first answer
	beat  time.Duration // between two looks at it
}

var usual = timing{hello: 20 * time.Second, beat: beat}

// Sandbox is one live container with its guest. Its methods are safe for
// concurrent use; calls of the same tool run one after another.
type Sandbox struct {
	id        string
	policy    Policy
	hello     wire.Hello
	container Container
	session   *yamux.Session
	http      *http.Client
	pulse     *pulse

	closing sync.Once
	closed  chan struct{}
	onClose func()
	err     error // of closing
}

// open starts a container and waits for its guest.
func open(ctx context.Context, engine Engine, id string, policy Policy, t timing) (*Sandbox, error) {
	if err := policy.Validate(); err != nil {
		return nil, fmt.Errorf("sandbox policy: %w", err)
	}
	container, err := engine.Start(ctx, Spec{RunID: id, Policy: policy, Setup: setup(policy)})
	if err != nil {
		return nil, err
	}
	s := &Sandbox{id: id, policy: policy, container: container, closed: make(chan struct{}), onClose: func() {}}
	s.pulse = &pulse{beat: t.beat, state: container.State, ping: func() error { return errSilent }, close: func() { _ = container.Stream().Close() }}
	if err := s.greet(ctx, t.hello); err != nil {
		err = s.lost(ctx, "wait for the guest", err)
		if cleanup := container.Remove(context.WithoutCancel(ctx)); cleanup != nil {
			err = fmt.Errorf("%w; then %w", err, cleanup)
		}
		return nil, err
	}
	if err := s.checkKernel(); err != nil {
		return nil, errors.Join(err, container.Remove(context.WithoutCancel(ctx)))
	}
	return s, nil
}

func setup(p Policy) wire.Setup {
	profile := p.Profile()
	return wire.Setup{
		Version: wire.Version, Workdir: p.Workdir, Home: Home, UID: profile.UID, GID: profile.GID, Env: p.Env,
		Caps: profile.Tools, Disk: p.DiskBytes, Memory: p.MemoryBytes, Pids: p.Pids, Outside: outside(p.Mounts),
		Head: p.HeadBytes, Tail: p.TailBytes, MaxOutput: p.OutputBytes, MaxLog: p.LogBytes, MaxTimeout: p.MaxTimeout,
	}
}

// outside names what is the user's own and does not count as the run's disk.
func outside(mounts []Mount) []string {
	var all []string
	for _, m := range mounts {
		all = append(all, m.Target)
	}
	return all
}

// greet opens the session and checks that both sides speak the same protocol.
func (s *Sandbox) greet(ctx context.Context, limit time.Duration) error {
	session, err := wire.HostSession(heard{s.container.Stream(), &s.pulse.bytes})
	if err != nil {
		return fmt.Errorf("open session: %w", err)
	}
	s.session = session
	s.pulse.ping = func() error {
		_, err := session.Ping()
		return err
	}
	s.pulse.close = func() { _ = session.Close() }
	s.http = &http.Client{Transport: watched{&http.Transport{
		DialContext:            func(context.Context, string, string) (net.Conn, error) { return dial(session) },
		MaxIdleConnsPerHost:    4,
		MaxResponseHeaderBytes: 64 << 10,
		ReadBufferSize:         wire.Buffer,
		WriteBufferSize:        wire.Buffer,
		DisableCompression:     true,
	}, s.pulse}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errSilent)
	defer cancel()
	if err := s.get(dueIn(ctx, limit), wire.PathHello, nil, &s.hello); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	if s.hello.Version != wire.Version {
		return fmt.Errorf("the guest speaks protocol %d and the host %d", s.hello.Version, wire.Version)
	}
	return nil
}

// ID is the run id the sandbox was made for.
func (s *Sandbox) ID() string { return s.id }

// Policy is the policy the sandbox was made under.
func (s *Sandbox) Policy() Policy { return s.policy }

// Hello says what the guest found in the image.
func (s *Sandbox) Hello() wire.Hello { return s.hello }

// Close ends the sandbox. Everything in it is gone afterwards. It may be called
// more than once and concurrently; every call waits for the end.
func (s *Sandbox) Close(ctx context.Context) error {
	s.closing.Do(func() {
		close(s.closed)
		if s.session != nil {
			_ = s.session.Close()
		}
		ctx, cancel := steadfast(ctx)
		defer cancel()
		s.err = s.container.Remove(ctx)
		s.onClose()
	})
	return s.err
}

// steadfast is a context that a cancellation does not end, but the deadline does.
func steadfast(ctx context.Context) (context.Context, context.CancelFunc) {
	firm := context.WithoutCancel(ctx)
	if due, ok := ctx.Deadline(); ok && ctx.Err() == nil {
		return context.WithDeadline(firm, due)
	}
	return firm, func() {}
}

func (s *Sandbox) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// lost declares the sandbox lost, if that has not been done, and gives its
// failure: what was seen on the stream, and what the engine knows of the
// container.
func (s *Sandbox) lost(ctx context.Context, op string, err error) error {
	if s.isClosed() {
		return ErrClosed
	}
	f := s.pulse.lose(inWords(err), func() State {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stateLimit)
		defer cancel()
		return s.container.State(ctx)
	})
	if s.isClosed() { // meanwhile
		return ErrClosed
	}
	return &LostError{Op: op, State: f.state.Text, Err: f.err}
}

// inWords says in words what a broken stream looks like to those who use it.
func inWords(err error) error {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe, yamux.ErrSessionShutdown, yamux.ErrStreamClosed, yamux.ErrConnectionReset} {
		if errors.Is(err, end) {
			return errEnded
		}
	}
	return err
}

var errEnded = errors.New("the connection to the guest broke off")
