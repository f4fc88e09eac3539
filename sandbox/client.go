package sandbox

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"
)

// A Cleanup is bounded, so that a hanging engine does not keep the process from
// ending. Engines remove containers hardly faster than one after the other.
const (
	cleanupLimit = 10 * time.Second
	cleanupEach  = time.Second // more, for each open sandbox
)

// Client owns every open sandbox of a process. Its methods are safe for
// concurrent use. The zero value is ready.
type Client struct {
	mu   sync.Mutex
	open map[*Sandbox]struct{}
	done bool

	timing timing // the zero value for the usual one
}

var defaultClient Client

// Default is the process-wide client: the one that is cleaned up when the loop
// ends, on a signal and on a panic.
func Default() *Client { return &defaultClient }

// Create starts a sandbox for a run. It is closed by its own Close or by
// Cleanup, whichever comes first.
func (c *Client) Create(ctx context.Context, engine Engine, runID string, policy Policy) (*Sandbox, error) {
	s, err := open(ctx, engine, runID, policy, cmp.Or(c.timing, usual))
	if err != nil {
		return nil, err
	}
	s.onClose = func() { c.forget(s) }
	if !c.remember(s) {
		return nil, errors.Join(ErrClosed, s.Close(ctx))
	}
	return s, nil
}

func (c *Client) remember(s *Sandbox) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done {
		return false
	}
	if c.open == nil {
		c.open = map[*Sandbox]struct{}{}
	}
	c.open[s] = struct{}{}
	return true
}

func (c *Client) forget(s *Sandbox) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, s)
}

// Cleanup closes every open sandbox, all at once, within ten seconds and one more
// for each. A cancelled context does not stop it. It may be called again and concurrently.
func (c *Client) Cleanup(ctx context.Context) error {
	all := c.list()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupLimit+time.Duration(len(all))*cleanupEach)
	defer cancel()
	var wg sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	for _, s := range all {
		wg.Go(func() {
			if err := s.Close(ctx); err != nil {
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Shutdown is Cleanup for a process that is about to end: a sandbox that is
// still being created is closed as soon as it is there.
func (c *Client) Shutdown(ctx context.Context) error {
	c.mu.Lock()
	c.done = true
	c.mu.Unlock()
	return c.Cleanup(ctx)
}

// Open says how many sandboxes are open.
func (c *Client) Open() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open)
}

func (c *Client) list() []*Sandbox {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]*Sandbox, 0, len(c.open))
	for s := range c.open {
		out = append(out, s)
	}
	return out
}
