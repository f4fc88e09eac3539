// Package attach lets a person into the live sandbox of a run: the process that
// owns the run serves a socket in the run's directory, and another drydock process
// of the same user connects its terminal through it.
//
// On the socket, the client sends its request and the server its verdict, each as
// JSON on a line; then both exchange frames (wire.Frame).
package attach

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"drydock/runtime"
)

// maxSocketPath is what fits a socket's address.
const maxSocketPath = 100

// address is a path for the socket that fits an address, and what must be closed
// once it has been used. A long path is reached through an open directory.
func address(dir string) (path string, done func(), err error) {
	path = filepath.Join(dir, runtime.SocketFile)
	if len(path) <= maxSocketPath {
		return path, func() {}, nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return "", nil, err
	}
	return filepath.Join("/proc/self/fd", strconv.Itoa(int(d.Fd())), runtime.SocketFile), func() { _ = d.Close() }, nil
}

// listen makes the socket, for this user alone.
func listen(dir string) (*net.UnixListener, error) {
	path, done, err := address(dir)
	if err != nil {
		return nil, fmt.Errorf("open run directory: %w", err)
	}
	defer done()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen in the run directory: %w", err)
	}
	l.SetUnlinkOnClose(false) // the path may be one that is gone by then
	if err := os.Chmod(filepath.Join(dir, runtime.SocketFile), 0o600); err != nil {
		_ = l.Close()
		return nil, fmt.Errorf("protect the socket: %w", err)
	}
	return l, nil
}

func dial(dir string) (net.Conn, error) {
	path, done, err := address(dir)
	if err != nil {
		return nil, err
	}
	defer done()
	return net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
}

// peer is the user at the other end.
func peer(conn *net.UnixConn) (uid int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *syscall.Ucred
	ctlErr := raw.Control(func(fd uintptr) {
		cred, err = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err := errors.Join(ctlErr, err); err != nil {
		return 0, fmt.Errorf("ask who connects: %w", err)
	}
	return int(cred.Uid), nil
}
