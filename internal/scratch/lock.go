package scratch

import (
	"errors"
	"os"
	"syscall"
)

// Lock marks an open file as in use until it is closed everywhere, as the end of
// a process does. It waits for a sweep that looks at the file.
func Lock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// TryLock is Lock without waiting. It is false where the file is in use, and
// where that cannot be known because the file system has no locks.
func TryLock(f *os.File) bool { return flock(f, syscall.LOCK_EX|syscall.LOCK_NB) == nil }

// flock tries again when a signal came in between.
func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
