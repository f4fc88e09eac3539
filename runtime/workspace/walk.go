package workspace

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	sandboxID    = 1000 // uid and gid of the user that tools run as
	maxPathLen   = 4096 // the longest path Linux and git take
	maxDepth     = 512
	countFurther = 100_000 // entries still counted once a limit is exceeded
)

// errCounted ends a walk that goes on only to tell how large the directory is.
var errCounted = errors.New("counted enough")

// walker writes one directory tree to the archive.
type walker struct {
	ctx     context.Context //nolint:containedctx // lives for one call
	dir     string
	limits  Limits
	out     *countingWriter
	tar     *tar.Writer
	snap    *Snapshot
	usage   usage
	notes   notes
	special int    // sockets, FIFOs and devices left out
	buf     []byte // holds one small file
}

// position is where in the tree a directory is.
type position struct {
	prefix string // its path with a final slash, or ""
	depth  int
	inGit  bool // it is or is in a ".git" directory
}

func (w *walker) exceeded() bool {
	return w.usage.total.Bytes > w.limits.MaxBytes || w.usage.total.Files > w.limits.MaxFiles
}

func (w *walker) limitError() *LimitError {
	e := &LimitError{Dir: w.dir, Limits: w.limits, Bytes: w.usage.total.Bytes, Files: w.usage.total.Files}
	e.Biggest = w.usage.biggest(func(d *DirUsage) int64 {
		if e.tooManyBytes() {
			return d.Bytes
		}
		return int64(d.Files)
	})
	return e
}

// walk adds what is in one directory.
func (w *walker) walk(root *os.Root, at position) error {
	names, err := readNames(root)
	if err != nil && at.depth > 0 {
		return w.skip(strings.TrimSuffix(at.prefix, "/"), err)
	}
	if err != nil {
		return err
	}
	gitDir := at.inGit || looksLikeGitDir(names)
	for _, name := range names {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if len(at.prefix)+len(name) > maxPathLen || at.depth > maxDepth {
			w.notes.addf("%q was left out: its path is too long", at.prefix+name)
			continue
		}
		if err := w.add(root, at, name, gitDir); err != nil {
			return err
		}
	}
	return nil
}

func readNames(root *os.Root) ([]string, error) {
	d, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}

// looksLikeGitDir recognises a repository, bare or not, by what is in it.
func looksLikeGitDir(names []string) bool {
	has := func(name string) bool {
		_, found := slices.BinarySearch(names, name)
		return found
	}
	return has("HEAD") && has("objects") && has("refs")
}

func (w *walker) add(root *os.Root, at position, name string, gitDir bool) error {
	path := at.prefix + name
	info, err := root.Lstat(name)
	if err != nil {
		return w.skip(path, err)
	}
	switch info.Mode().Type() {
	case 0:
		return w.addFile(root, path, name, info, gitDir)
	case fs.ModeDir:
		return w.addDir(root, at, name, info)
	case fs.ModeSymlink:
		return w.addLink(root, path, name, info)
	default:
		w.special++
		return nil
	}
}

// skip leaves out what cannot be read, unless reading failed for a reason that
// will not go away.
func (w *walker) skip(path string, err error) error {
	var cause syscall.Errno
	if errors.As(err, &cause) && (cause == syscall.EMFILE || cause == syscall.ENFILE || cause == syscall.ENOMEM) {
		return err
	}
	if !errors.Is(err, fs.ErrNotExist) { // it went away meanwhile, which is fine
		w.notes.addf("%q was left out: %v", path, plainError(err))
	}
	return nil
}

// plainError drops the operation and the path, which the message has already.
func plainError(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

func (w *walker) addDir(root *os.Root, at position, name string, info fs.FileInfo) error {
	sub, err := root.OpenRoot(name)
	if err != nil {
		return w.skip(at.prefix+name, err)
	}
	defer sub.Close()
	// Between the look and the opening the name may have become a symlink.
	if now, err := sub.Stat("."); err != nil || !os.SameFile(info, now) {
		w.notes.addf("%q was left out: it changed while it was read", at.prefix+name)
		return nil
	}
	if err := w.record(Entry{Path: at.prefix + name, Kind: Dir, Mode: uint32(info.Mode().Perm())}, info); err != nil {
		return err
	}
	return w.walk(sub, position{at.prefix + name + "/", at.depth + 1, at.inGit || name == ".git"})
}

func (w *walker) addLink(root *os.Root, path, name string, info fs.FileInfo) error {
	target, err := root.Readlink(name)
	if err != nil {
		return w.skip(path, err)
	}
	if name == ".git" && !insideTree(path, target) {
		w.notes.addf("%q was left out: it leads to a repository outside", path)
		return nil
	}
	return w.record(Entry{Path: path, Kind: Symlink, Mode: 0o777, Target: target}, info)
}

// record counts an entry and writes its header. Content follows, if it has any.
func (w *walker) record(e Entry, info fs.FileInfo) error {
	w.usage.add(e.Path, e.Size)
	if w.exceeded() {
		if w.usage.total.Files > w.limits.MaxFiles+countFurther {
			return errCounted
		}
		return nil
	}
	h := tar.Header{
		Name: e.Path, Linkname: e.Target, Size: e.Size, Mode: int64(e.Mode),
		Uid: sandboxID, Gid: sandboxID, ModTime: info.ModTime().Truncate(time.Second), Format: tar.FormatGNU,
	}
	switch e.Kind {
	case Dir:
		h.Typeflag = tar.TypeDir
		h.Name += "/"
	case Symlink:
		h.Typeflag = tar.TypeSymlink
	default:
		h.Typeflag = tar.TypeReg
	}
	if err := w.tar.WriteHeader(&h); err != nil {
		return fmt.Errorf("spool %q: %w", e.Path, err)
	}
	w.snap.entries[e.Path] = &baseEntry{Entry: e, offset: w.out.n}
	w.snap.paths = append(w.snap.paths, e.Path)
	return nil
}

// insideTree says whether the target of a symlink at path stays in the tree, as
// far as its text tells.
func insideTree(path, target string) bool {
	if strings.HasPrefix(target, "/") {
		return false
	}
	depth := strings.Count(path, "/")
	for part := range strings.SplitSeq(target, "/") {
		switch part {
		case "", ".":
		case "..":
			if depth--; depth < 0 {
				return false
			}
		default:
			depth++
		}
	}
	return true
}
