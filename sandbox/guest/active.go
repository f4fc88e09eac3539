package guest

import "sync"

// active are the calls that are running.
type active struct {
	mu    sync.Mutex
	calls map[*call]struct{}
}

func (a *active) add(c *call) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.calls == nil {
		a.calls = map[*call]struct{}{}
	}
	a.calls[c] = struct{}{}
}

func (a *active) remove(c *call) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.calls, c)
}

func (a *active) any() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.calls) > 0
}

// overDisk ends every call: the run has too much on disk, and which of them
// wrote it cannot be told.
func (a *active) overDisk() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for c := range a.calls {
		select {
		case c.overDisk <- struct{}{}:
		default:
		}
	}
}
