package guest

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"drydock/sandbox/wire"
)

// outPipe is a named pipe that one call prints to. Each call has its own, so a
// background job that prints later cannot reach another call's output. Its name
// cannot be guessed, and it is gone from the directory when the call ends.
type outPipe struct {
	path   string
	fd     int // our reader, outside of the runtime's poller
	keeper int // our own writer: without one the reader would see EOF before the call starts
	out    *output
	hurry  chan struct{} // closed when the pump must not wait for more any longer
	settle func()        // waits for the owner to let go of the pipe, or nil
	held   bool          // others still had it open when the call ended
	wake   int           // an eventfd that ends the pump's waiting in the kernel

	reading sync.Mutex // held while the pump reads, so that what it reads is in order
	over    bool       // the pump must not read any more
}

func openOutPipe(out *output) (*outPipe, error) {
	path := filepath.Join(wire.RunDir, "o"+rand.Text())
	if err := unix.Mkfifo(path, 0o622); err != nil {
		return nil, &os.PathError{Op: "mkfifo", Path: path, Err: err}
	}
	p := &outPipe{path: path, out: out, fd: -1, keeper: -1, wake: -1}
	if err := p.open(); err != nil {
		p.closeAll()
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	p.pump()
	return p, nil
}

func (p *outPipe) open() (err error) {
	if p.fd, err = unix.Open(p.path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0); err != nil {
		return err
	}
	if p.keeper, err = unix.Open(p.path, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0); err != nil {
		return err
	}
	if p.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		return err
	}
	// A larger pipe means fewer switches between a chatty program and us.
	_, _ = unix.FcntlInt(uintptr(p.fd), unix.F_SETPIPE_SZ, 1<<18)
	return nil
}

// writer opens the pipe for a program. The keeper will not do: it does not wait
// when the pipe is full, which a program would take for a failure.
func (p *outPipe) writer() (*os.File, error) {
	fd, err := unix.Open(p.path, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: p.path, Err: err}
	}
	return os.NewFile(uintptr(fd), p.path), nil
}

func (p *outPipe) closeAll() {
	_ = unix.Unlink(p.path)
	for _, fd := range []int{p.fd, p.keeper, p.wake} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
}

// chunks are used again, because two new ones for every call would keep the
// collector busy.
var chunks = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

// pump reads until finish or EOF. The runtime's poller would be woken by every
// single write of the program, and the program would wait meanwhile; so the
// descriptor is kept out of it, and the kernel is asked only when there is
// nothing to read. finish does not wait for the pump to wake up and end.
func (p *outPipe) pump() {
	p.hurry = make(chan struct{})
	go func() {
		defer func() { _ = unix.Close(p.wake) }()
		chunk := chunks.Get().(*[]byte)
		defer chunks.Put(chunk)
		for {
			n, err := p.take(*chunk)
			switch {
			case errors.Is(err, unix.EAGAIN):
				if !p.await() {
					return
				}
			case err != nil || n == 0:
				return
			case n < gatherBelow:
				p.gather()
			}
		}
	}()
}

// errOver tells the pump that finish has taken over.
var errOver = errors.New("the call is over")

// take reads once, without waiting.
func (p *outPipe) take(chunk []byte) (int, error) {
	p.reading.Lock()
	defer p.reading.Unlock()
	if p.over {
		return 0, errOver
	}
	n, err := content(p.fd).Read(chunk)
	p.out.add(chunk[:n])
	return n, err
}

// await blocks until there is something to read. It is false when finish has
// ended the wait.
func (p *outPipe) await() bool {
	fds := []unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN}, {Fd: int32(p.wake), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(fds, -1)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return err == nil && fds[1].Revents == 0
	}
}

// A program that prints a few bytes at a time is let to fill the pipe for a
// moment, which makes it several times faster.
const (
	gatherBelow = 16 << 10
	gatherFor   = time.Millisecond
)

// gather waits for more to read, unless the call is over.
func (p *outPipe) gather() {
	timer := time.NewTimer(gatherFor)
	defer timer.Stop()
	select {
	case <-p.hurry:
	case <-timer.C:
	}
}

// finish takes in what is already in the pipe and lets go of it. If background
// jobs still hold it open, their late output is read on, into the call's log
// only, so that they never block or die of it.
func (p *outPipe) finish() {
	_ = unix.Unlink(p.path)
	_ = unix.Close(p.keeper)
	_, _ = unix.Write(p.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0}) // before the pump can close it
	p.reading.Lock()
	p.over = true
	p.reading.Unlock()
	close(p.hurry)
	empty := p.drain()
	if !empty && p.settle != nil {
		p.settle()
		empty = p.drain()
	}
	if empty {
		_ = unix.Close(p.fd)
		return
	}
	p.held = true
	go p.readLate()
}

// readLate reads what comes after the call. There may be many such pipes for a
// long time, so they wait in the runtime's poller, not in a thread each.
func (p *outPipe) readLate() {
	late := os.NewFile(uintptr(p.fd), p.path)
	defer late.Close()
	chunk := make([]byte, 4<<10)
	for {
		n, err := late.Read(chunk)
		p.out.add(chunk[:n])
		if err != nil {
			p.out.close()
			return
		}
	}
}

// drainLimit bounds what one finish reads from a job that never stops printing.
const drainLimit = 8 << 20

// drain reads without waiting. It reports whether all writers are gone.
func (p *outPipe) drain() bool {
	chunk := chunks.Get().(*[]byte)
	defer chunks.Put(chunk)
	for taken := 0; taken < drainLimit; {
		n, err := content(p.fd).Read(*chunk)
		if err != nil {
			return !errors.Is(err, unix.EAGAIN)
		}
		p.out.add((*chunk)[:n])
		taken += n
	}
	return false
}
