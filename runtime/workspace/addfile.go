package workspace

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// smallFile is the size up to which a file is read before its header is written,
// so that the header tells the length it really had.
const smallFile = 256 << 10

// addFile adds a regular file.
func (w *walker) addFile(root *os.Root, path, name string, info fs.FileInfo, gitDir bool) error {
	e := Entry{Path: path, Kind: File, Mode: uint32(info.Mode().Perm()), Size: info.Size()}
	if w.exceeded() {
		return w.record(e, info)
	}
	// O_NONBLOCK, as opening a FIFO put there meanwhile would wait for a writer.
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return w.skip(path, err)
	}
	defer f.Close()
	now, err := f.Stat()
	if err != nil || !os.SameFile(info, now) {
		w.notes.addf("%q was left out: it changed while it was read", path)
		return nil
	}
	if gitDir && (name == "config" || name == "config.worktree") {
		return w.addConfig(f, e, info)
	}
	if name == ".git" {
		return w.addGitFile(f, e, info)
	}
	return w.addPlain(f, e, info)
}

// addPlain writes a file as it is.
func (w *walker) addPlain(f *os.File, e Entry, info fs.FileInfo) error {
	if e.Size > smallFile {
		return w.addLarge(f, e, info)
	}
	n, err := io.ReadFull(f, w.buf[:e.Size])
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return w.skip(e.Path, err)
	}
	return w.addContent(e, info, w.buf[:n])
}

// addContent writes a file whose content is in memory.
func (w *walker) addContent(e Entry, info fs.FileInfo, data []byte) error {
	e.Size, e.SHA256 = int64(len(data)), sha256.Sum256(data)
	if err := w.record(e, info); err != nil || w.exceeded() {
		return err
	}
	if _, err := w.tar.Write(data); err != nil {
		return fmt.Errorf("spool %q: %w", e.Path, err)
	}
	return nil
}

// addLarge copies a file of the length that its header says. What is missing
// because it became shorter meanwhile is filled with zeros.
func (w *walker) addLarge(f *os.File, e Entry, info fs.FileInfo) error {
	if err := w.record(e, info); err != nil || w.exceeded() {
		return err
	}
	h := sha256.New()
	dst := io.MultiWriter(w.tar, h)
	src := &failingReader{r: contextReader{w.ctx, f}}
	n, err := io.CopyBuffer(onlyWriter{dst}, io.LimitReader(src, e.Size), w.buf)
	if err != nil && src.err == nil {
		return fmt.Errorf("spool %q: %w", e.Path, err)
	}
	if ctxErr := w.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	if n < e.Size {
		w.notes.addf("%q could not be read to its end; the rest is zeros", e.Path)
		if _, err := io.CopyN(onlyWriter{dst}, zeros{}, e.Size-n); err != nil {
			return fmt.Errorf("spool %q: %w", e.Path, err)
		}
	}
	h.Sum(w.snap.entries[e.Path].SHA256[:0])
	return nil
}

// addConfig writes a git configuration file without its credentials.
func (w *walker) addConfig(f *os.File, e Entry, info fs.FileInfo) error {
	data, err := io.ReadAll(io.LimitReader(f, maxConfigLen+1))
	if err != nil {
		return w.skip(e.Path, err)
	}
	clean, ok := sanitizeConfig(data)
	if !ok || len(data) > maxConfigLen {
		w.notes.addf("%q was left out: it cannot be searched for credentials", e.Path)
		return nil
	}
	return w.addContent(e, info, clean)
}

// addGitFile writes the file that stands for a repository kept elsewhere, if it
// is kept inside the tree. An absolute path in it is made relative, as the tree
// is somewhere else inside the sandbox.
func (w *walker) addGitFile(f *os.File, e Entry, info fs.FileInfo) error {
	data, err := io.ReadAll(io.LimitReader(f, maxPathLen+1))
	if err != nil {
		return w.skip(e.Path, err)
	}
	target, isGitFile := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
	if !isGitFile {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return w.skip(e.Path, err)
		}
		return w.addPlain(f, e, info)
	}
	if filepath.IsAbs(target) {
		target = w.relative(e.Path, target)
		data = []byte("gitdir: " + target + "\n")
	}
	if !insideTree(e.Path, target) {
		w.notes.addf("%q was left out: its repository is outside the directory, so git does not work in the sandbox there", e.Path)
		return nil
	}
	return w.addContent(e, info, data)
}

// relative gives an absolute path as seen from the directory of path, which is
// in the tree.
func (w *walker) relative(path, target string) string {
	root, err := filepath.Abs(w.dir)
	if err != nil {
		return target
	}
	if real, err := filepath.EvalSymlinks(root); err == nil && !strings.HasPrefix(target, root+"/") {
		root = real
	}
	rel, err := filepath.Rel(filepath.Join(root, filepath.Dir(path)), target)
	if err != nil {
		return target
	}
	return filepath.ToSlash(rel)
}
