package guest

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"drydock/sandbox/wire"
)

// replaceFile writes beside the target and renames, so that a reader, a crash
// or a full disk never sees half a file.
func replaceFile(path string, data []byte, opts wire.WriteOptions) (wire.FileInfo, error) {
	target, err := resolveTarget(path)
	if err != nil {
		return wire.FileInfo{}, err
	}
	mode, err := checkTarget(target, opts)
	if err != nil {
		return wire.FileInfo{}, err
	}
	// The kernel would allow the rename over a file that may not be written;
	// an editor must not.
	if err := mayWrite(target); err != nil {
		return wire.FileInfo{}, err
	}
	if err := writeBeside(target, data, mode); err != nil {
		return wire.FileInfo{}, err
	}
	return wire.FileInfo{Path: []byte(target), Mode: uint32(mode), Size: int64(len(data))}, nil
}

func mayWrite(target string) error {
	err := unix.Access(target, unix.W_OK)
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return &os.PathError{Op: "write", Path: target, Err: err}
	}
	return nil
}

// writeBeside makes the system calls itself: where the storage driver is a
// program, as fuse-overlayfs is, each one that can be left out counts.
func writeBeside(target string, data []byte, mode os.FileMode) error {
	name := filepath.Join(filepath.Dir(target), ".drydock-"+rand.Text())
	fd, err := createIn(name, mode)
	if err != nil {
		return err
	}
	err = errors.Join(fill(fd, name, data, mode), unix.Close(fd))
	if err == nil {
		if err = unix.Rename(name, target); err == nil {
			return nil
		}
		err = &os.LinkError{Op: "rename", Old: name, New: target, Err: err}
	}
	_ = unix.Unlink(name)
	return err
}

// createIn makes a new file, and the directories above it where they are missing.
func createIn(name string, mode os.FileMode) (int, error) {
	const flags = unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL | unix.O_CLOEXEC
	fd, err := openRetry(name, flags, uint32(mode))
	if errors.Is(err, unix.ENOENT) {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return -1, err
		}
		fd, err = openRetry(name, flags, uint32(mode))
	}
	if err != nil {
		return -1, &os.PathError{Op: "create", Path: name, Err: err}
	}
	return fd, nil
}

// fill writes a new file, and gives it the mode that the umask may have kept it
// from.
func fill(fd int, name string, data []byte, mode os.FileMode) error {
	if err := writeAll(fd, data); err != nil {
		return &os.PathError{Op: "write", Path: name, Err: err}
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err == nil && os.FileMode(st.Mode).Perm() == mode {
		return nil
	}
	if err := unix.Fchmod(fd, uint32(mode)); err != nil {
		return &os.PathError{Op: "chmod", Path: name, Err: err}
	}
	return nil
}

// checkTarget applies the write options to what is there now.
func checkTarget(target string, opts wire.WriteOptions) (os.FileMode, error) {
	st, err := os.Stat(target)
	if errors.Is(err, os.ErrNotExist) {
		if opts.Expect != nil {
			return 0, &failure{wire.CodeChanged, target + " no longer exists"}
		}
		mode := os.FileMode(opts.Mode).Perm()
		if mode == 0 {
			mode = 0o644
		}
		return mode, nil
	}
	if err != nil {
		return 0, err
	}
	if opts.New {
		return 0, &failure{wire.CodeExists, target + " exists already"}
	}
	if err := mustBeRegular(target, st); err != nil {
		return 0, err
	}
	if err := expect(target, opts.Expect); err != nil {
		return 0, err
	}
	if opts.SetMod {
		return os.FileMode(opts.Mode).Perm(), nil
	}
	return st.Mode().Perm(), nil
}

func expect(target string, sum []byte) error {
	if sum == nil {
		return nil
	}
	fd, err := openRetry(target, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: target, Err: err}
	}
	defer func() { _ = unix.Close(fd) }()
	h := sha256.New()
	if _, err := io.Copy(h, content(fd)); err != nil {
		return &os.PathError{Op: "read", Path: target, Err: err}
	}
	if !bytes.Equal(h.Sum(nil), sum) {
		return &failure{wire.CodeChanged, target + " was changed meanwhile"}
	}
	return nil
}
