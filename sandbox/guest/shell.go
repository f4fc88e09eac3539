package guest

import (
	"cmp"
	"crypto/rand"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

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
	code       int    // what $? is for the next command
	dir        string // where a new shell starts
}

// run executes one command and waits for its end or its deadline.
func (s *shell) run(req wire.ShellRequest) (wire.Result, error) {
	if err := mustFit(req.Command); err != nil {
		return wire.Result{}, err
	}
	s.call.Lock()
	defer s.call.Unlock()
	if s.g.found.Shell == "" {
		return wire.Result{}, &failure{wire.CodeMissing, "the image has neither bash nor sh"}
	}
	if req.Restart {
		s.stop()
		s.dir = s.g.setup.Workdir
	}
	res, notRun, err := s.execute(req)
	if notRun != "" {
		s.kill()
		res, _, err = s.execute(req)
		res.Replaced = notRun
	}
	return res, err
}

// Why a shell was replaced.
const (
	whyEnded = "the shell ended with this call; a new one starts where the last call left off, without its variables, functions and options"
	whyMute  = "the shell could no longer tell how the command ended, and was ended; a new one starts where the last call left off, without its variables, functions and options"
	whyGone  = "the shell had ended after the last call; the command ran in a new one, without its variables, functions and options"
	whyUnfit = "the shell had made " + markName + " read-only and could not be used any more; the command ran in a new one, without its variables, functions and options"
)

// execute runs a command in the shell there is. When that shell could not even
// begin, notRun says why.
func (s *shell) execute(req wire.ShellRequest) (res wire.Result, notRun string, err error) {
	if err := s.ensure(); err != nil {
		return wire.Result{}, "", err
	}
	c := s.g.newCall(s.pid(), req.Timeout)
	pipe, err := openOutPipe(c.out)
	if err != nil {
		return wire.Result{}, "", fmt.Errorf("open output pipe: %w", err)
	}
	nonce := rand.Text()
	_ = syscall.Kill(s.pid(), syscall.SIGCONT) // an earlier program may have stopped it
	if err := s.send(req.Command, c.scope.mark, pipe.path, nonce); err != nil {
		pipe.finish()
		return wire.Result{}, "", fmt.Errorf("hand over command: %w", err)
	}
	muted := s.watch()
	end := c.wait(s, s.await(nonce))
	mute := muted()
	switch {
	case end.flags == flagUnfit:
		notRun = whyUnfit
	case end.died && unread(s.script) >= len(s.line()):
		notRun = whyGone
	}
	return s.conclude(c, pipe, end, mute), notRun, nil
}

// interrupt asks the shell to leave the command; it is repeated until the reply comes.
func (s *shell) interrupt() {
	if s.g.found.ShellIs == "bash" {
		_ = syscall.Kill(s.pid(), stopSignal)
	}
	_ = syscall.Kill(s.pid(), syscall.SIGCONT) // a stopped one would not hear
}

// abandon ends a shell that did not give a sign of life.
func (s *shell) abandon() { _ = syscall.Kill(s.pid(), syscall.SIGKILL) }

func (s *shell) exited() <-chan syscall.WaitStatus { return s.proc.done }

func (s *shell) pid() int { return s.proc.pid }

// conclude turns the end of a call into its result.
func (s *shell) conclude(c *call, pipe *outPipe, end ending, mute bool) wire.Result {
	pipe.settle = s.letGo
	cwd := s.g.user.cwd(s.pid())
	r := c.result(pipe, end)
	if end.died {
		s.dir = cmp.Or(s.lastDir(), s.dir)
		s.forget()
		r.Replaced = whyEnded
		if mute {
			r.Replaced = whyMute
		}
	} else {
		s.flags, s.code = keepFlags(end.flags), r.ExitCode
		if dir := <-cwd; dir != "" && !strings.HasSuffix(dir, " (deleted)") {
			s.dir = dir
		}
	}
	if filepath.IsAbs(s.dir) && !strings.Contains(s.dir, "\x00") { // a dead shell's note can hold anything
		r.Dir = tell(s.dir, wire.MaxPath-1)
	}
	r.Jobs = s.g.jobs()
	s.g.late.report(&r, c, pipe, c.leftRunning)
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
	proc, err := s.g.launchNear(argv, cmp.Or(s.dir, "/"), nil)
	if err != nil {
		_, _ = control.Close(), script.Close()
		return fmt.Errorf("start %s: %w", s.g.found.Shell, err)
	}
	s.proc, s.script, s.control, s.flags, s.code = proc, script, control, "", 0
	s.ctlPath, s.scriptPath = ctlPath, scriptPath
	if s.g.found.ShellIs == "bash" {
		_, err = io.WriteString(script, s.driver())
	}
	return err
}

// driver is what a new bash reads first. Its EXIT trap leaves a note of where
// the shell stood, which nothing else could tell once it is dead. A command
// that sets a trap of its own forgoes that.
func (s *shell) driver() string {
	return bashDriver + `\builtin trap '\builtin printf "%s" "$PWD" 2>/dev/null >|` + dirNote + "' EXIT\n"
}

// dirNote is written by the shell as it exits. It is outside of the supervisor's
// small tmpfs, which the tool user must not be able to fill.
const dirNote = wire.OutputDir + "/.exit-dir"

// lastDir reads the note of a shell that has exited, and makes room for the next.
func (s *shell) lastDir() string {
	f, err := os.OpenFile(dirNote, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return "" // root has put something else there, which one could wait for
	}
	note := make([]byte, unix.PathMax)
	n, _ := f.Read(note)
	_ = f.Truncate(0)
	if dir := string(note[:n]); filepath.IsAbs(dir) && !strings.ContainsRune(dir, 0) {
		return dir
	}
	return ""
}

// makeDirNote makes the note's file, which only exists to be written to by a
// user who may make none beside it.
func makeDirNote() error {
	f, err := os.OpenFile(dirNote, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o622)
	if err != nil {
		return err
	}
	return f.Close()
}

// openPipe makes a named pipe and opens both of its ends, so that neither this
// nor the shell's opening of it waits for the other.
func openPipe(path string, mode uint32) (*os.File, error) {
	if err := unix.Mkfifo(path, mode); err != nil {
		return nil, &os.PathError{Op: "mkfifo", Path: path, Err: err}
	}
	return os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
}

// stop ends the shell and everything it started that still runs.
func (s *shell) stop() {
	if s.live() != 0 {
		s.kill()
		s.g.killBackground()
	}
}

// kill ends the shell alone.
func (s *shell) kill() {
	if s.live() == 0 {
		return
	}
	_ = syscall.Kill(s.pid(), syscall.SIGKILL)
	<-s.proc.done
	s.forget()
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
