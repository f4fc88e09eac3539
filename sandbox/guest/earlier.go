package guest

import "sync"

// earlier are the processes that were running when the last call ended. A start
// time is too coarse to tell them from those of a call that begins right after.
type earlier struct {
	mu    sync.Mutex
	procs []proc
}

func (e *earlier) set(procs []proc) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.procs = procs
}

// spare puts those into keep that seem to have started since then.
func (e *earlier) spare(since int64, keep map[int]bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.procs {
		if p.start >= since {
			keep[p.pid] = true
		}
	}
}
