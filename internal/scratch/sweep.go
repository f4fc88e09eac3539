package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Left is something that a process left behind.
type Left struct {
	Path      string
	Age       time.Duration // since something was last made or removed in it
	Size      int64         // bytes of the files in it
	Removable bool          // nothing is in the way
	Removed   bool
	Reason    string
}

const (
	reasonDead    = "the process that used it is gone"
	reasonMounted = "something is mounted in it"
)

// Sweep removes what ended processes of this user left in dir. A directory that
// is in use, what belongs to somebody else and what has a mount in it stays; a
// file of [Named] does not show whether it is in use. A dry run only lists.
// What could not be removed is listed with the reason; the error is that of
// reading dir.
func Sweep(dir string, dryRun bool) ([]Left, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("sweep %s: %w", dir, err)
	}
	var all []Left
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) || !isOwn(e) {
			continue
		}
		if left, ok := sweepOne(filepath.Join(dir, e.Name()), dryRun); ok {
			all = append(all, left)
		}
	}
	return all, nil
}

// isOwn says whether a file or directory belongs to this user. Others could
// have put anything among the temporary files, under any name.
func isOwn(e fs.DirEntry) bool {
	info, err := e.Info()
	if err != nil || (!info.IsDir() && !info.Mode().IsRegular()) {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// sweepOne holds the lock while it removes, so that neither another sweep nor
// the maker of a directory comes in between.
func sweepOne(path string, dryRun bool) (Left, bool) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Left{}, false
	}
	defer func() { _ = f.Close() }()
	if !TryLock(f) || stillAt(f, path) != nil {
		return Left{}, false
	}
	left := Left{Path: path, Size: size(path), Removable: !hasMount(path), Reason: reasonDead}
	if info, err := f.Stat(); err == nil {
		left.Age = time.Since(info.ModTime())
	}
	if !left.Removable {
		left.Reason = reasonMounted
		return left, true
	}
	if dryRun {
		return left, true
	}
	err = os.RemoveAll(path)
	if left.Removed = err == nil; err != nil {
		left.Reason = fmt.Sprintf("it could not be removed: %v", err)
	}
	return left, true
}

func size(path string) int64 {
	var total int64
	_ = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read is not counted
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
		return nil
	})
	return total
}

// hasMount says whether a file system is mounted at path or below: removing
// would go on into it. Where that cannot be known, it is assumed.
func hasMount(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return true
	}
	return mountedBelow(real)
}
