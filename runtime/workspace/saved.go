package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"drydock/internal/scratch"
)

// savedPaths remembers what a directory has at some paths, to bring it back
// when git fails halfway: it removes all the old files before it writes any new
// one.
type savedPaths struct {
	root  *os.Root
	spool *os.File
	files []savedFile
	made  []string // directories that did not exist, parents first
}

// savedFile is a file or a symlink, or neither if info is nil.
type savedFile struct {
	path         string
	info         fs.FileInfo
	absent       bool // what is there later can only be new
	target       string
	offset, size int64
}

func savePaths(root *os.Root, paths []string) (*savedPaths, error) {
	spool, err := scratch.File("")
	if err != nil {
		return nil, err
	}
	s := &savedPaths{root: root, spool: spool}
	missing, end := map[string]bool{}, int64(0)
	for _, p := range paths {
		f, err := s.save(p, end)
		if err != nil {
			s.close()
			return nil, fmt.Errorf("read %q: %w", p, err)
		}
		end += f.size
		s.files = append(s.files, f)
		s.noteMissing(parentDir(p), missing)
	}
	return s, nil
}

func (s *savedPaths) close() { _ = s.spool.Close() }

func (s *savedPaths) save(p string, offset int64) (savedFile, error) {
	f := savedFile{path: p, offset: offset}
	info, err := s.root.Lstat(p)
	switch {
	case err != nil || info.IsDir():
		f.absent = true
		return f, nil
	case info.Mode()&fs.ModeSymlink != 0:
		f.info = info
		f.target, err = s.root.Readlink(p)
		return f, err
	case !info.Mode().IsRegular():
		return f, nil
	}
	f.info = info
	src, err := s.root.Open(p)
	if err != nil {
		return f, err
	}
	defer src.Close()
	f.size, err = io.Copy(s.spool, src)
	return f, err
}

func (s *savedPaths) noteMissing(dir string, known map[string]bool) {
	if dir == "" || known[dir] {
		return
	}
	known[dir] = true
	s.noteMissing(parentDir(dir), known)
	if _, err := s.root.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		s.made = append(s.made, dir)
	}
}

// restore brings back what is not as it was.
func (s *savedPaths) restore() error {
	var failed []string
	for _, f := range s.files {
		if f.absent {
			s.removeNew(f.path)
		}
	}
	for i := len(s.made) - 1; i >= 0; i-- {
		_ = s.root.Remove(s.made[i])
	}
	for _, f := range s.files {
		if f.info == nil || s.untouched(f) {
			continue
		}
		if err := s.rewrite(f); err != nil {
			failed = append(failed, fmt.Sprintf("%q (%v)", f.path, plainError(err)))
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("these files could not be brought back: %s", strings.Join(failed, ", "))
	}
	return nil
}

// removeNew removes a file where none was before. What git could not replace is
// a directory still.
func (s *savedPaths) removeNew(p string) {
	if info, err := s.root.Lstat(p); err == nil && !info.IsDir() {
		_ = s.root.Remove(p)
	}
}

func (s *savedPaths) untouched(f savedFile) bool {
	now, err := s.root.Lstat(f.path)
	return err == nil && os.SameFile(now, f.info) && now.ModTime().Equal(f.info.ModTime()) && now.Mode() == f.info.Mode()
}

func (s *savedPaths) rewrite(f savedFile) error {
	_ = s.root.Remove(f.path)
	if err := s.root.MkdirAll(path.Dir(f.path), 0o755); err != nil {
		return err
	}
	if f.info.Mode()&fs.ModeSymlink != 0 {
		return s.root.Symlink(f.target, f.path)
	}
	dst, err := s.root.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, io.NewSectionReader(s.spool, f.offset, f.size))
	err = errors.Join(err, dst.Chmod(f.info.Mode().Perm()), dst.Close())
	if err != nil {
		return err
	}
	return s.root.Chtimes(f.path, f.info.ModTime(), f.info.ModTime())
}
