package guest

import (
	"errors"
	"io"

	"golang.org/x/sys/unix"
)

// What is here makes the system calls itself. The os package offers each file to
// the runtime's poller first, which are five more calls for a file that has no
// use for it.

func openRetry(name string, flags int, mode uint32) (fd int, err error) {
	for {
		if fd, err = unix.Open(name, flags, mode); !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

// readDirect reads the start of a file: what fits.
func readDirect(path string, buf []byte) ([]byte, error) {
	fd, err := openRetry(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(fd) }()
	n, err := io.ReadFull(content(fd), buf)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return buf[:n], err
}

func writeAll(fd int, data []byte) error {
	for len(data) > 0 {
		n, err := unix.Write(fd, data)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
		data = data[max(n, 0):]
	}
	return nil
}

// writeAt writes at an offset, where a file is open for writing.
func writeAt(fd int, data []byte, at int64) error {
	for len(data) > 0 {
		n, err := unix.Pwrite(fd, data, at)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
		data, at = data[max(n, 0):], at+int64(max(n, 0))
	}
	return nil
}

// content reads a descriptor from where it stands.
type content int

func (c content) Read(p []byte) (int, error) {
	for {
		n, err := unix.Read(int(c), p)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}
