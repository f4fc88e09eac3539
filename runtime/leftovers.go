package runtime

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"drydock/internal/scratch"
)

// CreateEvents makes the log of the run's events and locks it for as long as it
// is open. By that a sweep knows a run that goes on from one that was killed.
func (d RunDir) CreateEvents() (*os.File, error) {
	f, err := os.OpenFile(d.File(EventsFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open event log: %w", err)
	}
	// A file system without locks does not let a sweep lock either, and then
	// nothing is swept.
	_ = scratch.Lock(f)
	return f, nil
}

// Live says whether an event log is of a run that goes on. Where the file system
// has no locks, every one seems to.
func Live(log *os.File) bool { return !scratch.TryLock(log) }

// SweepRuns removes the half-written files of the runs below root whose process
// is gone. What those runs recorded stays. A dry run only lists.
func SweepRuns(root string, dryRun bool) ([]scratch.Left, error) {
	entries, err := os.ReadDir(root)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("sweep runs: %w", err)
	}
	var all []scratch.Left
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		left, err := sweepRun(RunDir{ID: e.Name(), Path: filepath.Join(root, e.Name())}, dryRun)
		if err != nil {
			return all, err
		}
		all = append(all, left...)
	}
	return all, nil
}

// sweepRun holds the lock of the run's log meanwhile.
func sweepRun(d RunDir, dryRun bool) ([]scratch.Left, error) {
	events, err := os.OpenFile(d.File(EventsFile), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil // no run, or nobody's business
	}
	defer func() { _ = events.Close() }()
	if !scratch.TryLock(events) {
		return nil, nil
	}
	left, err := scratch.Sweep(d.Path, dryRun)
	if err != nil {
		return left, err
	}
	return append(left, d.sweepSocket(dryRun)...), nil
}

// sweepSocket removes the way into a sandbox that is gone.
func (d RunDir) sweepSocket(dryRun bool) []scratch.Left {
	path := d.File(SocketFile)
	st, err := os.Lstat(path)
	if err != nil || st.Mode()&os.ModeSocket == 0 {
		return nil
	}
	left := scratch.Left{Path: path, Age: time.Since(st.ModTime()), Removable: true, Reason: "the run it led to is over"}
	if !dryRun {
		if err := os.Remove(path); err != nil {
			left.Removable, left.Reason = false, err.Error()
		}
		left.Removed = left.Removable
	}
	return []scratch.Left{left}
}
