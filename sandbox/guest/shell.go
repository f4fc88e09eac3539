package guest

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"crypto/rand"

	"golang.org/x/sys/unix"

	"drydock/sandbox/wire"
)

//go:embed drivers/bash.sh
var bashDriver string

// stopSignal makes a bash leave the command it is in and stay alive (see
// drivers/bash.sh). A real-time signal, so that it is nobody else's.
const stopSignal = syscall.Signal(63) // RTMAX-1

// shell is the persistent shell: bash, or plain sh with fewer promises.
//
// It reads its script from a pipe that only the supervisor writes: one line per
// call, which sources the command's text from a file. So the text needs no
// quoting, has no length limit, cannot swallow what comes after it, and nothing
// of the protocol is in the output. The exit code comes back over a named pipe
// whose name, like the call's nonce, the command's children never see.
type shell struct {
	g *Guest

	call sync.Mutex // one call at a time

	mu         sync.Mutex // guards what follows
	proc       *process
	script     *os.File // our end of the script pipe
	control    *os.File // exit codes arrive here
	ctlPath    string
	scriptPath string
	flags      string // options to switch on again for the next command
	dir        string // where a new shell starts
}

const commandFile = wire.RunDir + "/command"

// run executes one command and waits for its end or its deadline.
func (s *shell) run(req wire.ShellRequest) (wire.Result, error) {
	s.call.Lock()
	defer s.call.Unlock()
	if s.g.found.Shell == "" {
		return wire.Result{}, &failure{wire.CodeMissing, "the image has neither bash nor sh"}
	}
	if req.Restart {
		s.stop()
		s.dir = s.g.setup.Workdir
	}
	if err := s.ensure(); err != nil {
		return wire.Result{}, err
	}
	return s.execute(req)
}

func (s *shell) execute(req wire.ShellRequest) (wire.Result, error) {
	c := s.g.newCall(s.pid(), req.Timeout)
	pipe, err := openOutPipe(c.out)
	if err != nil {
		return wire.Result{}, fmt.Errorf("open output pipe: %w", err)
	}
	nonce := rand.Text()
	if err := s.send(req.Command, c.scope.mark, pipe.path, nonce); err != nil {
		pipe.finish()
		return wire.Result{}, fmt.Errorf("hand over command: %w", err)
	}
	reply := s.await(nonce)
	end := c.wait(s, reply)
	return s.conclude(c, pipe, end), nil
}

// send writes the command's text to its file and the call's line to the shell.
func (s *shell) send(text, mark, outPath, nonce string) error {
	if on := strings.Trim(s.flags, " "); on != "" {
		text = `\builtin set -` + on + "; " + text
	}
	if err := os.WriteFile(commandFile, []byte(text), 0o644); err != nil {
		return err
	}
	_, err := io.WriteString(s.script, s.line(mark, outPath, nonce))
	return err
}

// line is what the shell runs for a call: all on one line, so that it has been
// read entirely before the command can change how the shell reads.
func (s *shell) line(mark, outPath, nonce string) string {
	if s.g.found.ShellIs == "bash" {
		return fmt.Sprintf(`\exec </dev/null >%s 2>&1; \builtin export %s=%s; \builtin . %s; `+
			`{ \builtin printf '%%s %%s %%s\0' %s "$?" "$-" >|%s; \builtin set +xve; \builtin trap - DEBUG; \builtin shopt -u extdebug; \builtin set +T; } 2>/dev/null; `+
			`\exec >/dev/null 2>&1`+"\n", outPath, markName, mark, commandFile, nonce, s.ctlPath)
	}
	return fmt.Sprintf(`exec </dev/null >%s 2>&1; export %s=%s; . %s; `+
		`{ printf '%%s %%s %%s\0' %s "$?" "$-" >|%s; set +xve; } 2>/dev/null; exec >/dev/null 2>&1`+"\n",
		outPath, markName, mark, commandFile, nonce, s.ctlPath)
}

// reply is what the shell says at a command's end.
type reply struct {
	code  int
	flags string
}

// await reads the control pipe until the call's own message arrives. Anything
// else there is not ours and is ignored.
func (s *shell) await(nonce string) <-chan reply {
	out := make(chan reply, 1)
	control := s.control
	_ = control.SetReadDeadline(time.Time{})
	go func() {
		defer close(out)
		var pending []byte
		buf := make([]byte, 512)
		for {
			n, err := control.Read(buf)
			if err != nil {
				return
			}
			pending = append(pending, buf[:n]...)
			for {
				msg, rest, ok := bytes.Cut(pending, []byte{0})
				if !ok {
					break
				}
				pending = rest
				if r, ok := parseReply(string(msg), nonce); ok {
					out <- r
					return
				}
			}
			if len(pending) > 4096 {
				pending = nil
			}
		}
	}()
	return out
}

func parseReply(msg, nonce string) (reply, bool) {
	var got, flags string
	var code int
	if n, _ := fmt.Sscanf(msg, "%s %d %s", &got, &code, &flags); n < 2 || got != nonce {
		return reply{}, false
	}
	return reply{code: code, flags: flags}, true
}

// interrupt asks the shell to leave the command; it is repeated until the reply comes.
func (s *shell) interrupt() {
	if s.g.found.ShellIs == "bash" {
		_ = syscall.Kill(s.pid(), stopSignal)
	}
}

// abandon ends a shell that did not give a sign of life.
func (s *shell) abandon() { _ = syscall.Kill(s.pid(), syscall.SIGKILL) }

func (s *shell) exited() <-chan syscall.WaitStatus { return s.proc.done }

func (s *shell) pid() int { return s.proc.pid }

// conclude turns the end of a call into its result.
func (s *shell) conclude(c *call, pipe *outPipe, end ending) wire.Result {
	r := c.result(pipe, end)
	if end.died {
		s.forget()
		r.Replaced = "the shell ended with this call; a new one starts in the same directory, without its variables, functions and options"
	} else {
		s.flags = keepFlags(end.flags)
		if dir := s.g.user.cwd(s.pid()); dir != "" && !strings.HasSuffix(dir, " (deleted)") {
			s.dir = dir
		}
	}
	r.Dir = s.dir
	r.Jobs = s.g.jobs()
	return r
}

// keepFlags picks the options that have to be switched off between calls,
// because they would show or end the shell itself, and on again in the next.
func keepFlags(flags string) string {
	out := ""
	for _, f := range flags {
		if f == 'x' || f == 'v' {
			out += string(f)
		}
	}
	return out
}

// ensure starts a shell if there is none.
func (s *shell) ensure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc != nil {
		select {
		case <-s.proc.done: // it died between two calls
			s.release()
		default:
			return nil
		}
	}
	return s.startLocked()
}

func (s *shell) startLocked() error {
	ctlPath := filepath.Join(wire.RunDir, "c"+rand.Text())
	control, err := openPipe(ctlPath, 0o622)
	if err != nil {
		return fmt.Errorf("open control pipe: %w", err)
	}
	scriptPath := filepath.Join(wire.RunDir, "s"+rand.Text())
	script, err := openPipe(scriptPath, 0o644)
	if err != nil {
		_ = control.Close()
		return fmt.Errorf("open script pipe: %w", err)
	}
	argv := []string{s.g.found.Shell, scriptPath}
	if s.g.found.ShellIs == "bash" {
		argv = []string{s.g.found.Shell, "--noprofile", "--norc", scriptPath}
	}
	proc, err := s.g.launch(argv, s.startDir(), nil)
	if err != nil {
		_, _ = control.Close(), script.Close()
		return fmt.Errorf("start %s: %w", s.g.found.Shell, err)
	}
	s.proc, s.script, s.control, s.flags = proc, script, control, ""
	s.ctlPath, s.scriptPath = ctlPath, scriptPath
	if s.g.found.ShellIs == "bash" {
		_, err = io.WriteString(script, bashDriver)
	}
	return err
}

// openPipe makes a named pipe and opens both of its ends, so that neither this
// nor the shell's opening of it waits for the other.
func openPipe(path string, mode uint32) (*os.File, error) {
	if err := unix.Mkfifo(path, mode); err != nil {
		return nil, &os.PathError{Op: "mkfifo", Path: path, Err: err}
	}
	return os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
}

// startDir is where the last shell stood, or the nearest place that still exists.
func (s *shell) startDir() string {
	for dir := s.dir; dir != "" && dir != "/"; dir = filepath.Dir(dir) {
		if st, err := os.Stat(dir); err == nil && st.IsDir() {
			return dir
		}
	}
	return "/"
}

// stop ends the shell and everything it started that still runs.
func (s *shell) stop() {
	pid := s.live()
	if pid == 0 {
		return
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	<-s.proc.done
	s.forget()
	s.g.killBackground()
}

func (s *shell) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release()
}

func (s *shell) release() {
	if s.proc == nil {
		return
	}
	_, _ = os.Remove(s.ctlPath), os.Remove(s.scriptPath)
	_ = s.script.Close()
	_ = s.control.Close()
	s.proc = nil
}

// live is the shell's process id, 0 when there is none.
func (s *shell) live() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc == nil {
		return 0
	}
	return s.proc.pid
}
