package images

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// keyedLock is one lock for each key, for as long as somebody holds it.
type keyedLock struct {
	mu   sync.Mutex
	held map[string]chan struct{} // closed on release
}

// acquire waits for the key or the end of ctx.
func (l *keyedLock) acquire(ctx context.Context, key string) (release func(), err error) {
	for {
		l.mu.Lock()
		busy, taken := l.held[key]
		if !taken {
			return l.take(key), nil
		}
		l.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// take is called with the mutex held, and releases it.
func (l *keyedLock) take(key string) (release func()) {
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = map[string]chan struct{}{}
	}
	done := make(chan struct{})
	l.held[key] = done
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.held, key)
		close(done)
	}
}

// lockPoll is how often a process looks whether another one has finished.
const lockPoll = 250 * time.Millisecond

func defaultLockDir() string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(cache, "drydock")
}

// lockFile keeps two processes from building the same image at once. It only
// saves work: both could do it without harm. So where no lock can be had, for
// example on a read-only home, there is none.
func lockFile(ctx context.Context, dir, name string, waiting func()) (release func(), err error) {
	none := func() {}
	if dir == "" || os.MkdirAll(dir, 0o700) != nil {
		return none, nil
	}
	f, err := os.OpenFile(filepath.Join(dir, "image-"+name+".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return none, nil
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		waiting()
		err = pollFlock(ctx, f)
	}
	if ctx.Err() != nil {
		_ = f.Close()
		return nil, ctx.Err()
	}
	if err != nil {
		_ = f.Close()
		return none, nil
	}
	return func() { _ = f.Close() }, nil // closing unlocks
}

func pollFlock(ctx context.Context, f *os.File) error {
	tick := time.NewTicker(lockPoll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return err
		}
	}
}
