package mcp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// server is one configured server, connected or not.
type server struct {
	spec    Spec
	options Options
	log     *journal
	naming  func(tool string) string
	box     Sandbox // of one in the sandbox

	starting sync.Mutex // one start at a time

	mu       sync.Mutex
	link     *link // nil while there is none
	tools    []*remote
	about    string // what the server says of itself
	reason   error  // why there is no link
	failures int
	next     time.Time // no start before
}

// maxWait bounds the time between two starts of a server that fails.
const maxWait = time.Minute

// start connects, lists the tools, and watches the connection. A server that
// failed is not started again at once, unless it is the first time.
func (s *server) start(ctx context.Context) error {
	s.starting.Lock()
	defer s.starting.Unlock()
	s.mu.Lock()
	live, wait, reason := s.link, time.Until(s.next), s.reason
	s.mu.Unlock()
	if live != nil {
		return nil
	}
	if wait > 0 {
		return fmt.Errorf("%w; it is tried again in %d s at the earliest", reason, int(wait/time.Second)+1)
	}
	life := context.WithoutCancel(ctx) // a connection outlasts the call that needed it
	ctx, cancel := context.WithTimeoutCause(ctx, s.spec.Start, errSlow(s.spec.Start))
	defer cancel()
	l, err := s.dial(ctx, life)
	var list listing
	if err == nil {
		list, err = s.list(ctx, l)
		if err != nil {
			err = l.explain(err)
			l.close()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.failed(s.tell(ctx, err))
		return s.reason
	}
	s.link, s.reason, s.failures = l, nil, 0
	s.tools, s.about = list.tools, list.about
	go s.watch(life, l)
	return nil
}

// failed notes a failure and when to try again. s.mu is held.
func (s *server) failed(reason error) {
	s.reason = reason
	s.failures++
	s.next = time.Now().Add(min(maxWait, time.Second<<min(s.failures-1, 10)))
}

// tell is an error in words that may be shown: on one line, without secrets.
func (s *server) tell(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	text := err.Error()
	if line := s.log.lastLine(); line != "" {
		text += "; it said last: " + line
	}
	return errors.New(oneLine(s.spec.redact(text), maxReason))
}

// watch follows a connection until it breaks: its list of tools, at most once a
// second, and its end.
func (s *server) watch(ctx context.Context, l *link) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = l.session.Wait()
	}()
	for {
		select {
		case <-ended:
			_ = s.lose(l, errStream)
			return
		case <-l.changes:
		}
		s.refresh(ctx, l)
		within(ended, time.Second)
	}
}

func (s *server) refresh(ctx context.Context, l *link) {
	ctx, cancel := context.WithTimeout(ctx, s.spec.Start)
	defer cancel()
	list, err := s.list(ctx, l)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.link == l {
		s.tools = list.tools
	}
}

// lose takes a broken connection away. It gives the reason in words.
func (s *server) lose(l *link, err error) error {
	err = l.explain(err)
	l.close()
	reason := errors.New(oneLine(s.spec.redact(err.Error()), maxReason))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link == l {
		s.link = nil
		s.reason = reason
	}
	return reason
}

// stop ends the connection for good, or until the next start.
func (s *server) stop() {
	s.starting.Lock()
	defer s.starting.Unlock()
	s.mu.Lock()
	l := s.link
	s.link, s.reason, s.failures, s.next = nil, errors.New("it was stopped"), 0, time.Time{}
	s.mu.Unlock()
	if l != nil {
		l.close()
	}
}

// moveTo is the sandbox that the next start happens in.
func (s *server) moveTo(box Sandbox) {
	s.stop()
	s.starting.Lock()
	defer s.starting.Unlock()
	s.box = box
}

// current is the connection there is, and why there is none.
func (s *server) current() (*link, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link, s.reason
}
