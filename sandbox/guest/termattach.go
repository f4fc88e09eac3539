package guest

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/creack/pty"

	"drydock/sandbox/wire"
)

// attached is a program that a person uses. Its output goes to them as it is.
type attached struct {
	cmd     *exec.Cmd
	mark    string
	master  inputFile      // the terminal's, nil without one
	stdin   io.WriteCloser // without a terminal
	writing sync.Mutex
	conn    net.Conn
	early   *bufio.ReadWriter
}

// inputFile is the part of a terminal that attach needs.
type inputFile interface {
	io.ReadWriteCloser
	SetWriteDeadline(time.Time) error
}

var attachCount atomic.Int64

// attach starts a program for a person and turns the connection into frames.
func (s *termSet) attach(w http.ResponseWriter, r *http.Request) {
	var req wire.AttachRequest
	if err := json.Unmarshal([]byte(r.Header.Get(wire.OptionsHeader)), &req); err != nil {
		answer(w, nil, &failure{wire.CodeInvalid, "read attach options: " + err.Error()})
		return
	}
	a := &attached{mark: fmt.Sprintf("%s.shell%d", s.setup.Mark, attachCount.Add(1))}
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		answer(w, nil, errors.New("the connection cannot be taken over"))
		return
	}
	if err := a.prepare(s.setup, req); err != nil {
		answer(w, nil, err)
		return
	}
	var err error
	if a.conn, a.early, err = hijacker.Hijack(); err != nil {
		answer(w, nil, err)
		return
	}
	defer a.conn.Close()
	_, err = fmt.Fprintf(a.conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n", wire.AttachProtocol)
	if err == nil {
		a.run(req)
	}
}

func (a *attached) prepare(setup terminalSetup, req wire.AttachRequest) error {
	argv := req.Argv
	if len(argv) == 0 {
		argv = []string{setup.Shell}
	}
	env := terminalEnv(a.mark, req.Term, req.Env)
	path := argv[0]
	if path == "" {
		return &failure{wire.CodeMissing, "the image has neither bash nor sh"}
	}
	if !strings.Contains(path, "/") {
		if path = findProgram(lookupEnv(env, "PATH"), path); path == "" {
			return &failure{wire.CodeMissing, "the image has no " + argv[0]}
		}
	}
	a.cmd = &exec.Cmd{Path: path, Args: argv, Dir: cmp.Or(req.Dir, setup.Dir), Env: env}
	return nil
}

// winsize is a person's terminal, which may be larger than a screen that is kept
// here. One that does not know its size gets the usual one.
func winsize(rows, cols int) *pty.Winsize {
	const most = 10_000
	if rows < 1 || cols < 1 || rows > most || cols > most {
		rows, cols = usualRows, usualCols
	}
	return &pty.Winsize{Rows: uint16(rows), Cols: uint16(cols)}
}

// run serves the program until it ends or the person is gone.
func (a *attached) run(req wire.AttachRequest) {
	var err error
	if req.TTY {
		err = a.onTerminal(req)
	} else {
		err = a.throughPipes()
	}
	status := wire.FrameStatus{ExitCode: 127}
	if err != nil {
		status.Failure = startFailure(a.cmd.Dir, err).Error()
	} else if a.cmd.ProcessState != nil {
		status.ExitCode = exitCode(a.cmd.ProcessState.Sys().(syscall.WaitStatus))
	}
	raw, _ := json.Marshal(status)
	_ = a.write(wire.FrameExit, raw)
}

func (a *attached) onTerminal(req wire.AttachRequest) error {
	master, err := startOnTerminal(a.cmd, winsize(req.Rows, req.Cols))
	if err != nil {
		return err
	}
	a.master = master
	go a.listen(func(size wire.FrameSize) { _ = setSize(master, winsize(size.Rows, size.Cols)) })
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		_, _ = io.Copy(frameWriter{a, wire.FrameOutput}, master)
	}()
	_ = a.cmd.Wait()
	select {
	case <-copied:
	case <-time.After(lastOutput):
	}
	endTree(a.cmd.Process.Pid, a.mark)
	_ = master.Close()
	<-copied
	return nil
}

func (a *attached) throughPipes() error {
	var err error
	if a.stdin, err = a.cmd.StdinPipe(); err != nil {
		return err
	}
	a.cmd.Stdout, a.cmd.Stderr = frameWriter{a, wire.FrameOutput}, frameWriter{a, wire.FrameError}
	a.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	a.cmd.WaitDelay = lastOutput
	if err := a.cmd.Start(); err != nil {
		return err
	}
	go a.listen(func(wire.FrameSize) {})
	_ = a.cmd.Wait()
	endTree(a.cmd.Process.Pid, a.mark)
	return nil
}

// listen takes what the person sends. When they are gone, so is the program.
func (a *attached) listen(resize func(wire.FrameSize)) {
	defer endTree(a.cmd.Process.Pid, a.mark)
	in := io.MultiReader(io.LimitReader(a.early, int64(a.early.Reader.Buffered())), a.conn)
	for {
		kind, data, err := wire.ReadFrame(in)
		if err != nil {
			return
		}
		switch kind {
		case wire.FrameInput:
			a.input(data)
		case wire.FrameResize:
			var size wire.FrameSize
			if json.Unmarshal(data, &size) == nil {
				resize(size)
			}
		}
	}
}

// input types what a person typed. A program that reads nothing loses it, so
// that they can still be heard to leave.
func (a *attached) input(data []byte) {
	switch {
	case a.master != nil:
		_ = a.master.SetWriteDeadline(time.Now().Add(inputLimit))
		_, _ = a.master.Write(data)
	case len(data) == 0:
		_ = a.stdin.Close()
	default:
		_, _ = a.stdin.Write(data)
	}
}

func (a *attached) write(kind wire.FrameKind, data []byte) error {
	a.writing.Lock()
	defer a.writing.Unlock()
	return wire.WriteFrame(a.conn, kind, data)
}

// frameWriter sends what is written to it as frames.
type frameWriter struct {
	a    *attached
	kind wire.FrameKind
}

func (w frameWriter) Write(p []byte) (int, error) {
	for sent := 0; sent < len(p); {
		n := min(len(p)-sent, wire.MaxFrame)
		if err := w.a.write(w.kind, p[sent:sent+n]); err != nil {
			return sent, err
		}
		sent += n
	}
	return len(p), nil
}
