package workspace

import (
	"archive/tar"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// Snapshot is a directory as it was when it was taken: a tar archive and an
// index into it. It reads from the spool file given to [Take], which must stay
// open and unchanged as long as the Snapshot is used. It is safe for concurrent
// use.
type Snapshot struct {
	// Warnings tell, a line each, what of the directory could not be taken or is
	// not the same inside. There are at most a hundred.
	Warnings []string

	spool   io.ReaderAt
	size    int64
	entries map[string]*baseEntry
	paths   []string // of entries, parents before children
}

// baseEntry is an entry of a snapshot and where its content is in the spool.
type baseEntry struct {
	Entry
	offset int64
}

// DirError means that the directory given for a workspace is none.
type DirError struct {
	Dir     string
	Problem string
}

func (e *DirError) Error() string { return fmt.Sprintf("workspace %s %s", e.Dir, e.Problem) }

// Take copies dir into spool as a GNU tar archive, owned by uid and gid 1000. It
// follows no symlink below dir, takes directories, regular files and symlinks,
// and leaves out everything else. Permissions lose their set-user-ID,
// set-group-ID and sticky bits, times their fractions of a second. Git
// configuration inside dir goes in without credentials.
//
// It fails with a [DirError] if dir is no directory, and with a [LimitError] if
// it holds more than limits allow. A file that cannot be read is left out with a
// warning. Files that change while they are read end up as some mixture.
func Take(ctx context.Context, dir string, spool *os.File, limits Limits) (*Snapshot, error) {
	root, err := openDir(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()

	buffered := bufio.NewWriterSize(io.NewOffsetWriter(spool, 0), 1<<20)
	out := &countingWriter{w: buffered}
	w := walker{
		ctx: ctx, dir: dir, limits: limits.withDefaults(), out: out, tar: tar.NewWriter(out),
		snap: &Snapshot{spool: spool, entries: map[string]*baseEntry{}},
		buf:  make([]byte, smallFile),
	}
	if err := w.walk(root, position{}); err != nil && !errors.Is(err, errCounted) {
		return nil, fmt.Errorf("read workspace %s: %w", dir, err)
	}
	if w.exceeded() {
		return nil, w.limitError()
	}
	if err := errors.Join(w.tar.Close(), buffered.Flush()); err != nil {
		return nil, fmt.Errorf("read workspace %s: %w", dir, err)
	}
	if w.special > 0 {
		w.notes.addf("left out %d sockets, FIFOs or devices", w.special)
	}
	w.snap.size = out.n
	w.snap.Warnings = w.notes.list("more files")
	return w.snap, nil
}

func openDir(dir string) (*os.Root, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, &DirError{dir, "does not exist"}
	case err != nil:
		return nil, &DirError{dir, "cannot be read: " + err.Error()}
	case !info.IsDir():
		return nil, &DirError{dir, "is not a directory"}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, &DirError{dir, "cannot be read: " + err.Error()}
	}
	return root, nil
}

// Tar gives the archive from its beginning, and its length in bytes.
func (s *Snapshot) Tar() (io.Reader, int64) { return io.NewSectionReader(s.spool, 0, s.size), s.size }

// Len is the number of files, directories and symlinks.
func (s *Snapshot) Len() int { return len(s.paths) }

// Entry gives what the snapshot has at a path.
func (s *Snapshot) Entry(path string) (Entry, bool) {
	e, ok := s.entries[path]
	if !ok {
		return Entry{}, false
	}
	return e.Entry, true
}

// read gives the content of a file, or nothing if it is none or longer than
// limit.
func (s *Snapshot) read(path string, limit int64) ([]byte, bool) {
	e, ok := s.entries[path]
	if !ok || e.Kind != File || e.Size > limit {
		return nil, false
	}
	data := make([]byte, e.Size)
	if _, err := s.spool.ReadAt(data, e.offset); err != nil && e.Size > 0 {
		return nil, false
	}
	return data, true
}

// countingWriter knows the position in the archive.
type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
