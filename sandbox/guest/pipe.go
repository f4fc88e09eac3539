package guest

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"drydock/sandbox/wire"
)

// outPipe is a named pipe that one call prints to. Each call has its own, so a
// background job that prints later cannot reach another call's output. Its name
// cannot be guessed, and it is gone from the directory when the call ends.
type outPipe struct {
	path   string
	read   *os.File
	keeper *os.File // our own writer: without one the reader would see EOF before the call starts
	out    *output
	idle   chan struct{} // closed when the reading goroutine has stopped
	hurry  chan struct{} // closed when it must not wait for more any longer
}

func openOutPipe(out *output) (*outPipe, error) {
	path := filepath.Join(wire.RunDir, "o"+rand.Text())
	if err := unix.Mkfifo(path, 0o622); err != nil {
		return nil, &os.PathError{Op: "mkfifo", Path: path, Err: err}
	}
	read, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		_ = os.Remove(path)
		return nil, err
	}
	keeper, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		_ = read.Close()
		_ = os.Remove(path)
		return nil, err
	}
	if conn, err := read.SyscallConn(); err == nil {
		// A larger pipe means fewer switches between a chatty program and us.
		_ = conn.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<18) })
	}
	p := &outPipe{path: path, read: read, keeper: keeper, out: out}
	p.pump()
	return p, nil
}

// pump reads until the deadline set by finish or until EOF.
func (p *outPipe) pump() {
	idle, hurry := make(chan struct{}), make(chan struct{})
	p.idle, p.hurry = idle, hurry
	go func() {
		defer close(idle)
		buf := make([]byte, 64<<10)
		for {
			n, err := p.read.Read(buf)
			p.out.add(buf[:n])
			if err != nil {
				return
			}
			if n < gatherBelow {
				p.gather(hurry)
			}
		}
	}()
}

// A program that prints a few bytes at a time would wake its reader for each of
// them, and wait while it is awake. Letting the pipe fill for a moment makes
// such programs several times faster.
const (
	gatherBelow = 16 << 10
	gatherFor   = time.Millisecond
)

// gather waits for more to read, unless the call is over.
func (p *outPipe) gather(hurry <-chan struct{}) {
	timer := time.NewTimer(gatherFor)
	defer timer.Stop()
	select {
	case <-hurry:
	case <-timer.C:
	}
}

// finish takes in what is already in the pipe and lets go of it. If background
// jobs still hold it open, their late output is read on, into the call's log
// only, so that they never block or die of it.
func (p *outPipe) finish() {
	_ = os.Remove(p.path)
	_ = p.keeper.Close()
	close(p.hurry)
	_ = p.read.SetReadDeadline(time.Now())
	<-p.idle
	if p.drain() {
		_ = p.read.Close()
		return
	}
	_ = p.read.SetReadDeadline(time.Time{})
	p.pump()
	go func() {
		<-p.idle
		_ = p.read.Close()
		p.out.close()
	}()
}

// drainLimit bounds what one finish reads from a job that never stops printing.
const drainLimit = 8 << 20

// drain reads without waiting. It reports whether all writers are gone.
func (p *outPipe) drain() bool {
	conn, err := p.read.SyscallConn()
	if err != nil {
		return true
	}
	buf := make([]byte, 64<<10)
	ended := true
	_ = conn.Control(func(fd uintptr) {
		for taken := 0; taken < drainLimit; {
			n, err := unix.Read(int(fd), buf)
			switch {
			case errors.Is(err, unix.EINTR):
			case err != nil:
				ended = !errors.Is(err, unix.EAGAIN)
				return
			case n == 0:
				return
			default:
				p.out.add(buf[:n])
				taken += n
			}
		}
		ended = false
	})
	return ended
}
