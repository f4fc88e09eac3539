package editor_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"drydock/tools/editor"
)

// diskFiles is a sandbox whose root is a directory of the machine, so that
// symlinks, modes and errors are the kernel's. Symlinks in it must be relative.
type diskFiles struct {
	root string
	// beforeWrite runs between the read and the write of an edit.
	beforeWrite func()
}

func (d *diskFiles) host(path string) string { return d.root + path }

// resolve follows all symlinks, also a last one that points nowhere yet.
func (d *diskFiles) resolve(host string) (string, error) {
	for range 40 {
		target, err := os.Readlink(host)
		if err != nil {
			break
		}
		host = filepath.Join(filepath.Dir(host), target)
	}
	if _, err := os.Stat(host); err == nil {
		return filepath.EvalSymlinks(host)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(host))
	return filepath.Join(dir, filepath.Base(host)), err
}

func (d *diskFiles) Read(_ context.Context, path string, limit int64) (editor.File, error) {
	info, err := os.Stat(d.host(path))
	if err != nil {
		return editor.File{}, known(err)
	}
	real, err := d.resolve(d.host(path))
	if err != nil {
		return editor.File{}, known(err)
	}
	file := editor.File{Path: strings.TrimPrefix(real, d.root), Mode: uint32(info.Mode().Perm())}
	if info.IsDir() {
		file.IsDir = true
		return file, nil
	}
	if !info.Mode().IsRegular() {
		return editor.File{}, editor.ErrNotRegular
	}
	f, err := os.Open(real)
	if err != nil {
		return editor.File{}, known(err)
	}
	defer f.Close()
	file.Size = info.Size()
	file.Truncated = info.Size() > limit
	file.Data, err = io.ReadAll(io.LimitReader(f, limit))
	return file, err
}

func (d *diskFiles) Write(_ context.Context, path string, data []byte, opts editor.WriteOptions) (editor.File, error) {
	if d.beforeWrite != nil {
		d.beforeWrite()
	}
	made := d.missingParents(filepath.Dir(d.host(path)))
	if err := os.MkdirAll(filepath.Dir(d.host(path)), 0o755); err != nil {
		return editor.File{}, known(err)
	}
	real, err := d.resolve(d.host(path))
	if err != nil {
		return editor.File{}, known(err)
	}
	mode := fs.FileMode(opts.Mode)
	if info, err := os.Stat(real); err == nil {
		mode = info.Mode().Perm()
		if opts.New {
			return editor.File{}, editor.ErrChanged
		}
	}
	if err := expected(real, opts.Expect); err != nil {
		return editor.File{}, err
	}
	if err := replaceFile(real, data, mode); err != nil {
		return editor.File{}, known(err)
	}
	return editor.File{
		Path: strings.TrimPrefix(real, d.root), Mode: uint32(mode), Size: int64(len(data)), NewDirs: made,
	}, nil
}

func (d *diskFiles) missingParents(dir string) int {
	if _, err := os.Stat(dir); err == nil || len(dir) <= len(d.root) {
		return 0
	}
	return 1 + d.missingParents(filepath.Dir(dir))
}

func replaceFile(path string, data []byte, mode fs.FileMode) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".t*")
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	err = errors.Join(err, temp.Chmod(mode), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(temp.Name()))
	}
	return err
}

func expected(path string, sum *editor.Sum) error {
	if sum == nil {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return known(err)
	}
	if sha256.Sum256(data) != *sum {
		return editor.ErrChanged
	}
	return nil
}

func (d *diskFiles) Remove(_ context.Context, path string, expect *editor.Sum) error {
	if expect == nil {
		return known(syscall.Rmdir(d.host(path)))
	}
	if err := expected(d.host(path), expect); err != nil {
		return err
	}
	return known(os.Remove(d.host(path)))
}

func (d *diskFiles) List(_ context.Context, path string, depth, limit int) (editor.Listing, error) {
	var listing editor.Listing
	level := []string{"."}
	for range depth {
		var next []string
		for _, dir := range level {
			entries, err := os.ReadDir(filepath.Join(d.host(path), dir))
			if err != nil {
				return editor.Listing{}, known(err)
			}
			for _, found := range entries {
				if strings.HasPrefix(found.Name(), ".") {
					continue
				}
				entry, err := listEntry(filepath.Join(dir, found.Name()), found)
				if err != nil {
					return editor.Listing{}, known(err)
				}
				listing.Entries = append(listing.Entries, entry)
				if entry.IsDir {
					next = append(next, entry.Path)
				}
			}
		}
		level = next
	}
	if len(listing.Entries) > limit {
		listing.Entries, listing.Truncated = listing.Entries[:limit], true
	}
	return listing, nil
}

func listEntry(path string, found fs.DirEntry) (editor.Entry, error) {
	info, err := found.Info()
	if err != nil {
		return editor.Entry{}, err
	}
	entry := editor.Entry{Path: path, IsDir: info.IsDir(), IsLink: info.Mode()&fs.ModeSymlink != 0}
	if info.Mode().IsRegular() {
		entry.Size = info.Size()
	}
	return entry, nil
}

// known maps the kernel's errors as an adapter has to.
func known(err error) error {
	for number, sentinel := range map[syscall.Errno]error{
		syscall.ENOENT: editor.ErrNotFound, syscall.EISDIR: editor.ErrIsDirectory,
		syscall.ENOTDIR: editor.ErrNotDirectory, syscall.EACCES: editor.ErrPermission,
		syscall.ELOOP: editor.ErrLoop, syscall.ENAMETOOLONG: editor.ErrNameTooLong,
		syscall.EROFS: editor.ErrReadOnly, syscall.ENOSPC: editor.ErrNoSpace,
	} {
		if errors.Is(err, number) {
			return fmt.Errorf("%w: %w", sentinel, err)
		}
	}
	return err
}

// leftovers names the temporary files below the root.
func (d *diskFiles) leftovers() []string {
	var found []string
	_ = filepath.WalkDir(d.root, func(path string, entry fs.DirEntry, _ error) error {
		if strings.HasPrefix(entry.Name(), ".t") {
			found = append(found, path)
		}
		return nil
	})
	slices.Sort(found)
	return found
}
