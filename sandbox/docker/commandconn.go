package docker

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// commandConn is a connection over the input and output of a process. Deadlines
// have no effect on it; whoever gives up closes it.
type commandConn struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	stderr lastBytes

	closing sync.Once
	ended   chan struct{} // closed when the process is gone
	err     error         // how it went, once it is
}

// startConn starts the process, in a session of its own: an interrupt from the
// keyboard must not cut off the clean-up that it causes.
func startConn(cmd *exec.Cmd) (*commandConn, error) {
	c := &commandConn{cmd: cmd, ended: make(chan struct{})}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stderr = &c.stderr
	var err error
	if c.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, feed := io.Pipe()
	cmd.Stdout, c.stdout = feed, out
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		c.err = cmd.Wait()
		_ = feed.CloseWithError(c.end())
		close(c.ended)
	}()
	return c, nil
}

// end is what a reader gets when there is no more: the reason in the words of
// the process, where it failed.
func (c *commandConn) end() error {
	if c.err == nil {
		return io.EOF
	}
	if said := c.stderr.lastLine(); said != "" {
		return fmt.Errorf("%s: %s", c.cmd.Args[0], said)
	}
	return fmt.Errorf("%s: %w", c.cmd.Args[0], c.err)
}

func (c *commandConn) Read(p []byte) (int, error) { return c.stdout.Read(p) }

// Write says why the process has gone, rather than that its pipe is broken.
func (c *commandConn) Write(p []byte) (int, error) {
	n, err := c.stdin.Write(p)
	if errors.Is(err, syscall.EPIPE) {
		select {
		case <-c.ended:
			if c.err != nil {
				err = c.end()
			}
		case <-time.After(time.Second):
		}
	}
	return n, err
}

// CloseWrite tells the other side that nothing more will come.
func (c *commandConn) CloseWrite() error { return c.stdin.Close() }

// Close ends the process.
func (c *commandConn) Close() error {
	c.closing.Do(func() {
		_ = c.stdin.Close()
		_ = c.stdout.Close()
		_ = c.cmd.Process.Kill()
		<-c.ended
	})
	return nil
}

func (c *commandConn) LocalAddr() net.Addr              { return commandAddr(c.cmd.Args[0]) }
func (c *commandConn) RemoteAddr() net.Addr             { return commandAddr(c.cmd.Args[0]) }
func (c *commandConn) SetDeadline(time.Time) error      { return nil }
func (c *commandConn) SetReadDeadline(time.Time) error  { return nil }
func (c *commandConn) SetWriteDeadline(time.Time) error { return nil }

type commandAddr string

func (commandAddr) Network() string  { return "command" }
func (a commandAddr) String() string { return string(a) }

// lastBytes keeps the end of what is written to it.
type lastBytes struct {
	mu   sync.Mutex
	kept []byte
}

func (l *lastBytes) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = append(l.kept, p...)
	if over := len(l.kept) - maxLastWords; over > 0 {
		l.kept = bytes.Clone(l.kept[over:])
	}
	return len(p), nil
}

func (l *lastBytes) lastLine() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := strings.TrimSpace(string(l.kept))
	return printable(text[strings.LastIndexByte(text, '\n')+1:])
}
