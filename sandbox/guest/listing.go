package guest

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"drydock/sandbox/wire"
)

// listDir lists a directory to a depth, hidden entries left out.
func listDir(w http.ResponseWriter, r *http.Request) {
	path, err := pathOf(r)
	if err != nil {
		answer(w, nil, err)
		return
	}
	depth, _ := strconv.Atoi(r.URL.Query().Get("depth"))
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	if limit <= 0 || limit > wire.MaxListing {
		limit = wire.MaxListing
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		answer(w, nil, err)
		return
	}
	st, err := os.Stat(path)
	if err == nil && !st.IsDir() {
		err = &failure{wire.CodeNotDir, path + " is not a directory"}
	}
	if err != nil {
		answer(w, nil, err)
		return
	}
	l := lister{root: path, limit: limit}
	err = l.list("", max(depth, 1))
	answer(w, l.out, err)
}

// lister fills a listing up to its bounds.
type lister struct {
	root  string
	limit int
	bytes int // of paths
	out   wire.Listing
}

func (l *lister) list(rel string, depth int) error {
	entries, err := os.ReadDir(filepath.Join(l.root, rel))
	if err != nil {
		if rel != "" {
			return nil // an unreadable directory is listed, not entered
		}
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		name := filepath.Join(rel, e.Name())
		l.bytes += len(name)
		if len(l.out.Entries) >= l.limit || l.bytes > wire.MaxListingBytes {
			l.out.Truncated = true
			return nil
		}
		entry := wire.ListEntry{Path: []byte(name), IsDir: e.IsDir(), IsLink: e.Type()&fs.ModeSymlink != 0}
		if info, err := e.Info(); err == nil {
			entry.Size = info.Size()
		}
		l.out.Entries = append(l.out.Entries, entry)
		if e.IsDir() && depth > 1 {
			if err := l.list(name, depth-1); err != nil {
				return err
			}
		}
	}
	return nil
}

// walkTree describes every entry below a directory, one JSON value a line, with
// the hash of each file's content.
func walkTree(w http.ResponseWriter, r *http.Request) {
	root, err := pathOf(r)
	if err == nil {
		err = enterable(root, deviceOf(root))
	}
	if err != nil {
		answer(w, nil, err)
		return
	}
	buf := bufio.NewWriterSize(w, 64<<10)
	defer func() { _ = buf.Flush() }()
	enc := json.NewEncoder(buf)
	device := deviceOf(root)
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if path == root {
			return err
		}
		if err == nil && d.IsDir() {
			err = enterable(path, device)
		}
		if err := enc.Encode(walkEntry(root, path, d, err)); err != nil {
			return err // the host is gone
		}
		if err != nil && d != nil && d.IsDir() {
			return fs.SkipDir
		}
		return r.Context().Err()
	})
}

// enterable says why a directory is not walked: what is mounted there is not the
// workspace's. One that its owner has locked is opened, as nothing comes after
// the walk.
func enterable(path string, device uint64) error {
	if deviceOf(path) != device {
		return errors.New("another file system is mounted there")
	}
	if unix.Access(path, unix.R_OK|unix.X_OK) == nil {
		return nil
	}
	st, err := os.Lstat(path)
	if err == nil {
		err = os.Chmod(path, st.Mode().Perm()|0o500)
	}
	return err
}

// deviceOf is the file system that a directory is on. Files are not asked: on
// an overlay they tell that of a layer.
func deviceOf(path string) uint64 {
	var st unix.Stat_t
	if unix.Lstat(path, &st) != nil {
		return 0
	}
	return st.Dev
}

func walkEntry(root, path string, d fs.DirEntry, walkErr error) wire.WalkEntry {
	rel, _ := filepath.Rel(root, path)
	e := wire.WalkEntry{Path: []byte(rel), Kind: "o"}
	if walkErr != nil {
		e.Err = tell(walkErr.Error(), wire.MaxMessage)
		return e
	}
	info, err := d.Info()
	if err != nil {
		e.Err = tell(err.Error(), wire.MaxMessage)
		return e
	}
	e.Mode, e.Size = uint32(info.Mode().Perm()), info.Size()
	switch {
	case info.IsDir():
		e.Kind = "d"
	case info.Mode()&fs.ModeSymlink != 0:
		e.Kind = "l"
		target, _ := os.Readlink(path)
		e.Target = []byte(target)
	case info.Mode().IsRegular():
		e.Kind = "f"
		if e.Size > wire.MaxHash {
			return e // too large for a patch
		}
		if e.Mode&0o400 == 0 {
			_ = os.Chmod(path, info.Mode().Perm()|0o400) // its owner locked it; the mode told is the old one
		}
		sum, size, err := hashFile(path)
		e.Sum, e.Size = sum, size
		if err != nil {
			e.Err = tell(err.Error(), wire.MaxMessage)
		}
	}
	return e
}

func hashFile(path string) ([]byte, int64, error) {
	f, _, err := openRegular(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, wire.MaxHash+1))
	if n > wire.MaxHash { // it grows, or is a kernel's file that tells no size
		return nil, n, err
	}
	return h.Sum(nil), n, err
}
