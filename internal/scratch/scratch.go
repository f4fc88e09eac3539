// Package scratch makes temporary files and directories of which nothing stays
// when the process that made them is killed: a file has no name from the start,
// and a directory is locked by its users, so that [Sweep] can tell one that is
// in use from one that was left.
package scratch

import (
	"errors"
	"fmt"
	"os"
)

// prefix begins the name of everything made here, and of nothing else.
const prefix = "drydock-scratch-"

// attempts bounds how often a directory is made anew because a sweep took it
// before it was locked.
const attempts = 100

// Dir is a temporary directory. It is in use for as long as its lock is held
// open, here or in a child process.
type Dir struct {
	Path string
	lock *os.File
}

// Create makes a directory among the temporary files, for its user only. The
// kind, a word for people, becomes part of its name.
func Create(kind string) (*Dir, error) {
	for range attempts {
		path, err := os.MkdirTemp("", prefix+kind+"-")
		if err != nil {
			return nil, fmt.Errorf("make a temporary directory: %w", err)
		}
		lock, err := claim(path)
		if err == nil {
			return &Dir{Path: path, lock: lock}, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			_ = os.Remove(path)
			return nil, fmt.Errorf("lock a temporary directory: %w", err)
		}
	}
	return nil, errors.New("make a temporary directory: it is removed each time")
}

// claim locks a directory that is still there.
func claim(path string) (*os.File, error) {
	lock, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err = Lock(lock); err == nil {
		err = stillAt(lock, path)
	}
	if err != nil {
		_ = lock.Close()
		return nil, err
	}
	return lock, nil
}

// stillAt fails with os.ErrNotExist when path no longer leads to the open file.
func stillAt(f *os.File, path string) error {
	opened, err := f.Stat()
	if err != nil {
		return err
	}
	found, err := os.Lstat(path)
	if err == nil && !os.SameFile(opened, found) {
		err = os.ErrNotExist
	}
	return err
}

// Lock is what marks the directory as in use. A child process that has it open,
// too, keeps the directory from being swept after the end of this process.
func (d *Dir) Lock() *os.File { return d.lock }

// Remove deletes the directory with all that is in it.
func (d *Dir) Remove() error {
	defer func() { _ = d.lock.Close() }() // last, or a sweep would remove it as well
	return os.RemoveAll(d.Path)
}
