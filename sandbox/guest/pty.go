package guest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// startOnTerminal starts a program on a new terminal and gives its other side.
// Closing that ends reads of it, also under gVisor, where the end of the program
// does not; and deadlines of writes hold.
func startOnTerminal(cmd *exec.Cmd, size *pty.Winsize) (*os.File, error) {
	blocking, err := pty.StartWithSize(cmd, size)
	if err != nil {
		return nil, err
	}
	defer blocking.Close()
	master, err := pollable(blocking)
	if err != nil {
		_ = syscall.Kill(cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		return nil, fmt.Errorf("use the terminal: %w", err)
	}
	return master, nil
}

// pollable makes a second file of one that the runtime's poller has given up:
// the pty package sets the size through a descriptor that is blocking from then
// on.
func pollable(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// setSize changes a terminal's size; the kernel tells the program.
func setSize(master *os.File, size *pty.Winsize) error {
	conn, err := master.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) {
		failed = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: size.Rows, Col: size.Cols})
	})
	return errors.Join(err, failed)
}
