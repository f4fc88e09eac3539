package mcp

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// pipes are a running program with its standard streams.
type pipes struct {
	in   io.WriteCloser
	out  io.ReadCloser
	end  func()        // ends it and all it started; may be called again
	done chan struct{} // closed when it has ended
	how  func() string // how it ended
}

// leave is how long a program may take to end by itself, and then on SIGTERM.
const leave = 2 * time.Second

// inherited are the variables that a program on the host gets. All others could
// hold secrets, the model's key first.
var inherited = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TERM", "SSL_CERT_FILE", "SSL_CERT_DIR"}

func environment(getenv func(string) string, more map[string]string) []string {
	var env []string
	for _, name := range inherited {
		if v := getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	for name, v := range more {
		env = append(env, name+"="+v)
	}
	return env
}

// startProcess runs a server on the host, in a process group of its own.
func startProcess(spec *Spec, getenv func(string) string, log io.Writer) (*pipes, error) {
	path, err := exec.LookPath(spec.Command)
	if err != nil {
		return nil, fmt.Errorf("there is no program %q", spec.Command)
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{Path: path, Args: append([]string{spec.Command}, spec.Args...), Dir: spec.Dir, Env: environment(getenv, spec.Env)}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = childOut, log, time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	_ = childOut.Close()
	if err != nil {
		_ = out.Close()
		return nil, fmt.Errorf("start %s: %w", spec.Command, cause(err))
	}
	p := &pipes{in: in, out: out, done: make(chan struct{})}
	p.how = func() string { return howEnded(cmd.ProcessState) }
	p.end = func() { endProcess(cmd, p) }
	go func() {
		_ = cmd.Wait()
		close(p.done)
		// A child of it may hold the stream open; what it said itself is in the pipe.
		_ = out.SetReadDeadline(time.Now().Add(time.Second))
	}()
	return p, nil
}

// endProcess lets the program end by itself, as the protocol wants it, and then
// makes it and its group.
func endProcess(cmd *exec.Cmd, p *pipes) {
	group := -cmd.Process.Pid
	_ = p.in.Close()
	if !within(p.done, leave) {
		_ = syscall.Kill(group, syscall.SIGTERM)
		within(p.done, leave)
	}
	_ = syscall.Kill(group, syscall.SIGKILL)
	<-p.done
	_ = p.out.Close()
}

func within(done <-chan struct{}, limit time.Duration) bool {
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}

func howEnded(state *os.ProcessState) string {
	if state == nil {
		return "it ended"
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return "it was ended by " + strings.ToUpper(ws.Signal().String())
	}
	return fmt.Sprintf("it ended with exit code %d", state.ExitCode())
}

// errStream is what a broken stream of a program comes to.
var errStream = errors.New("its connection broke off")
