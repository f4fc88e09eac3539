package guest

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"drydock/sandbox/wire"
)

// replaceFile writes beside the target and renames, so that a reader, a crash
// or a full disk never sees half a file. A file with several names, or of another
// owner or group, is written into, because the new one would lose that.
func replaceFile(path string, data []byte, opts wire.WriteOptions) (wire.FileInfo, error) {
	target, err := resolveTarget(path)
	if err != nil {
		return wire.FileInfo{}, err
	}
	old, err := checkTarget(target, opts)
	if err != nil {
		return wire.FileInfo{}, err
	}
	// The kernel would allow the rename over a file that may not be written;
	// an editor must not.
	if err := mayWrite(target); err != nil {
		return wire.FileInfo{}, err
	}
	write := writeBeside
	if old.shared {
		write = writeInto
	}
	if err := write(target, data, old); err != nil {
		return wire.FileInfo{}, err
	}
	return wire.FileInfo{Path: []byte(target), Mode: uint32(old.mode), Size: int64(len(data))}, nil
}

// existing is what is there before a write, and the mode that it has afterwards.
type existing struct {
	mode   os.FileMode
	size   int64
	shared bool // by other names or another owner, which a new file would not have
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
func writeBeside(target string, data []byte, old existing) error {
	name := filepath.Join(filepath.Dir(target), ".drydock-"+rand.Text())
	fd, err := createIn(name, old.mode)
	if err != nil {
		return err
	}
	err = errors.Join(fill(fd, name, data, old.mode), unix.Close(fd))
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
	return setMode(fd, name, mode)
}

func setMode(fd int, name string, mode os.FileMode) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err == nil && os.FileMode(st.Mode).Perm() == mode {
		return nil
	}
	if err := unix.Fchmod(fd, uint32(mode)); err != nil {
		return &os.PathError{Op: "chmod", Path: name, Err: err}
	}
	return nil
}

// writeInto writes into a file that has to stay the one it is. What is beyond its
// old end comes first: where the disk is too full for that, nothing has changed.
func writeInto(target string, data []byte, old existing) (err error) {
	fd, err := openRetry(target, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: target, Err: err}
	}
	defer func() { err = errors.Join(err, unix.Close(fd)) }()
	kept := min(int64(len(data)), old.size)
	if err := writeAt(fd, data[kept:], kept); err != nil {
		_ = unix.Ftruncate(fd, old.size)
		return &os.PathError{Op: "write", Path: target, Err: err}
	}
	err = writeAt(fd, data[:kept], 0)
	if err == nil {
		err = unix.Ftruncate(fd, int64(len(data)))
	}
	if err != nil {
		return &os.PathError{Op: "write", Path: target, Err: err}
	}
	return setMode(fd, target, old.mode)
}

// checkTarget applies the write options to what is there now.
func checkTarget(target string, opts wire.WriteOptions) (existing, error) {
	st, err := os.Stat(target)
	if errors.Is(err, os.ErrNotExist) {
		if opts.Expect != nil {
			return existing{}, &failure{wire.CodeChanged, target + " no longer exists"}
		}
		return existing{mode: cmp.Or(os.FileMode(opts.Mode).Perm(), 0o644)}, nil
	}
	if err != nil {
		return existing{}, err
	}
	if opts.New {
		return existing{}, &failure{wire.CodeExists, target + " exists already"}
	}
	if err := mustBeRegular(target, st); err != nil {
		return existing{}, err
	}
	if err := expect(target, opts.Expect); err != nil {
		return existing{}, err
	}
	old := existing{mode: st.Mode().Perm(), size: st.Size()}
	if opts.SetMod {
		old.mode = os.FileMode(opts.Mode).Perm()
	}
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		old.shared = sys.Nlink > 1 || int(sys.Uid) != os.Geteuid() || int(sys.Gid) != os.Getegid()
	}
	return old, nil
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
