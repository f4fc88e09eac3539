package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"gotest.tools/v3/assert"
	"gotest.tools/v3/poll"
)

// person is someone at a terminal who has started drydock.
type person struct {
	t      *testing.T
	cmd    *exec.Cmd
	master *os.File
	tty    *os.File
	before *unix.Termios

	mu  sync.Mutex
	saw bytes.Buffer
}

// sit starts drydock on a terminal, beside a run.
func sit(t *testing.T, run *process, args ...string) *person {
	t.Helper()
	p := &person{t: t}
	var err error
	p.master, p.tty, err = pty.Open()
	assert.NilError(t, err)
	assert.NilError(t, pty.Setsize(p.master, &pty.Winsize{Rows: 30, Cols: 90}))
	p.before = p.settings()
	p.cmd = exec.Command(run.cmd.Path)
	p.cmd.Args = append([]string{"drydock"}, args...)
	p.cmd.Dir, p.cmd.Env = run.dir, append(run.cmd.Env, "TERM=xterm")
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = p.tty, p.tty, p.tty
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	assert.NilError(t, p.cmd.Start())
	t.Cleanup(func() { _, _, _ = p.cmd.Process.Kill(), p.master.Close(), p.tty.Close() })
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := p.master.Read(buf)
			p.mu.Lock()
			p.saw.Write(buf[:n])
			p.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return p
}

func (p *person) settings() *unix.Termios {
	p.t.Helper()
	tio, err := unix.IoctlGetTermios(int(p.tty.Fd()), unix.TCGETS)
	assert.NilError(p.t, err)
	return tio
}

func (p *person) types(text string) {
	p.t.Helper()
	_, err := p.master.WriteString(text)
	assert.NilError(p.t, err)
}

func (p *person) screen() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.saw.String()
}

// sees waits for a text.
func (p *person) sees(text string) {
	p.t.Helper()
	poll.WaitOn(p.t, func(poll.LogT) poll.Result {
		if strings.Contains(p.screen(), text) {
			return poll.Success()
		}
		return poll.Continue("no %q in %q", text, p.screen())
	}, poll.WithTimeout(patience), poll.WithDelay(20*time.Millisecond))
}

// leaves waits for the end of drydock, which must leave the terminal as it was.
func (p *person) leaves(code int) {
	p.t.Helper()
	timer := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	_ = p.cmd.Wait() // the code says it
	assert.Equal(p.t, p.cmd.ProcessState.ExitCode(), code, "%q", p.screen())
	assert.DeepEqual(p.t, p.settings(), p.before)
}

// beside runs drydock without a terminal.
func beside(t *testing.T, run *process, stdin string, args ...string) (out, errOut string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), run.cmd.Path)
	cmd.Args = append([]string{"drydock"}, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = run.dir, run.cmd.Env, strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	assert.Assert(t, err == nil || errors.As(err, &exit), "%v", err)
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// A person looks into the sandbox of a run that is going on.
func TestShell(t *testing.T) {
	t.Parallel()
	run := interrupted(t)

	t.Run("terminal", func(t *testing.T) {
		p := sit(t, run, "shell", "./run")
		p.sees("in the sandbox of run ")
		p.types("stty size; cat file\r")
		p.sees("30 90\r\nkept\r\n")
		assert.NilError(t, pty.Setsize(p.master, &pty.Winsize{Rows: 31, Cols: 91}))
		p.types("sleep 1; stty size\r")
		p.sees("31 91")
		p.types("printf '\\033]52;c;ZXZpbA==\\a\\033]0;title\\a\\033[6n\\033[31mred\\033[0m\\n'; sleep 300\r")
		p.sees("\x1b[31mred")
		assert.Assert(t, !strings.Contains(p.screen(), "\x1b]") && !strings.Contains(p.screen(), "\x1b[6n"), "%q", p.screen())
		p.types("\x03")
		p.types("exit 5\r")
		p.leaves(5)
	})
	t.Run("detaching", func(t *testing.T) {
		p := sit(t, run, "shell", "./run")
		p.sees("$ ")
		p.types("sleep 901\r~.")
		p.sees("detached")
		p.leaves(0)
		out, _, _ := beside(t, run, "", "shell", "./run", "--", "sh", "-c", "cat /proc/*/cmdline | tr '\\0' ' '")
		assert.Assert(t, !strings.Contains(out, "sleep 901"), "%s", out)
	})
	t.Run("killed", func(t *testing.T) {
		p := sit(t, run, "shell", "./run")
		p.sees("$ ")
		assert.NilError(t, p.cmd.Process.Signal(syscall.SIGTERM))
		p.leaves(143)
	})
	t.Run("pipes", func(t *testing.T) {
		input := strings.Repeat("line\x00\xff\n", 50_000)
		out, errOut, code := beside(t, run, input, "shell", "./run", "--", "sh", "-c", "cat; echo bad >&2; exit 4")
		assert.Assert(t, out == input, "%d bytes, not %d", len(out), len(input))
		assert.Equal(t, errOut, "bad\n")
		assert.Equal(t, code, 4)
	})
	t.Run("mistakes", func(t *testing.T) {
		_, errOut, code := beside(t, run, "", "shell", "./run")
		assert.Equal(t, code, 2)
		assert.Assert(t, strings.Contains(errOut, "a shell needs a terminal"), "%s", errOut)
		_, errOut, code = beside(t, run, "", "shell", "./run", "--", "no-such-program")
		assert.Equal(t, code, 1)
		assert.Assert(t, strings.Contains(errOut, "the image has no no-such-program"), "%s", errOut)
	})
	t.Run("the run ends", func(t *testing.T) {
		p := sit(t, run, "shell", "./run")
		p.sees("$ ")
		run.signal(syscall.SIGINT)
		p.sees("the run has ended, and its sandbox with it")
		p.leaves(1)
		assert.Equal(t, run.exit(), 130)
		assert.Assert(t, strings.Contains(run.file("patch.diff"), "\n+kept\n"))
		_, errOut, code := beside(t, run, "", "shell", "./run", "--", "true")
		assert.Equal(t, code, 1)
		assert.Assert(t, strings.Contains(errOut, "it is not live"), "%s", errOut)
	})
}
