package guest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"drydock/sandbox/guest/screen"
	"drydock/sandbox/wire"
)

// termSession is a program on a terminal.
type termSession struct {
	name    string
	command string
	mark    string
	began   time.Time
	cmd     *exec.Cmd
	master  *os.File
	screen  *screen.Screen
	plain   *screen.Plain
	drawn   chan struct{} // closed when all output has been drawn
	typing  sync.Mutex    // one input at a time

	mu         sync.Mutex
	room       *sync.Cond // pending has become shorter, or longer
	rows, cols int
	pending    []byte // output not drawn yet
	busy       bool   // some is being drawn
	closed     bool   // no output will come any more
	changed    chan struct{}
	last       time.Time // of output
	total      int64     // bytes printed
	skipped    int64     // bytes not drawn
	skippedAt  time.Time // when some were last
	told       [2]int64  // total and skipped at the last report

	mark0  int64  // where in plain a wait begins to look
	shown0 string // what a full screen showed then
	echo   string // what the terminal repeats of the last input

	ended  bool
	code   int
	signal string
	told1  bool // the end has been reported

	log  *os.File
	left int64 // bytes the log may still take
}

// start runs the program on a new terminal.
func (t *termSession) start(argv []string, dir string, env []string, mark string) error {
	t.mark, t.began, t.changed, t.drawn = mark, time.Now(), make(chan struct{}), make(chan struct{})
	t.room = sync.NewCond(&t.mu)
	t.last = t.began
	t.cmd = &exec.Cmd{Path: argv[0], Args: argv, Dir: dir, Env: env}
	master, err := startOnTerminal(t.cmd, &pty.Winsize{Rows: uint16(t.rows), Cols: uint16(t.cols)})
	if err != nil {
		return startFailure(dir, err)
	}
	t.master = master
	t.plain = screen.NewPlain()
	t.screen = screen.New(t.rows, t.cols, t.reply)
	read := make(chan struct{})
	go func() {
		defer close(read)
		t.pump()
	}()
	go t.draw()
	go t.watch(read)
	return nil
}

func startFailure(dir string, err error) error {
	if st, statErr := os.Stat(dir); statErr != nil || !st.IsDir() {
		return &failure{wire.CodeNotFound, fmt.Sprintf("%s is no directory to start in", dir)}
	}
	if errors.Is(err, syscall.EAGAIN) {
		return &failure{wire.CodeBusy, "the process limit of the sandbox is reached; end some processes first"}
	}
	if errors.Is(err, fs.ErrPermission) {
		return &failure{wire.CodePermission, "start on a terminal: " + err.Error()}
	}
	return fmt.Errorf("start on a terminal: %w", err)
}

// How long the end of a session may take.
const (
	lastOutput = 300 * time.Millisecond // for output after the program's end
	lastDraw   = 5 * time.Second        // for drawing it
	hangupTime = 300 * time.Millisecond // from the hang-up to the kill
)

// watch waits for the program's end. What it left on the terminal ends with it.
func (t *termSession) watch(read <-chan struct{}) {
	_ = t.cmd.Wait()
	select {
	case <-read:
	case <-time.After(lastOutput):
	}
	endTree(t.cmd.Process.Pid, t.mark)
	_ = t.master.Close()
	<-read
	select {
	case <-t.drawn:
	case <-time.After(lastDraw):
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	if ws, ok := t.cmd.ProcessState.Sys().(syscall.WaitStatus); ok {
		t.code = exitCode(ws)
		if ws.Signaled() {
			t.signal = unix.SignalName(ws.Signal())
		}
	}
	if t.log != nil {
		_ = t.log.Close()
	}
	t.notify()
}

// stop ends the session with everything that runs in it.
func (t *termSession) stop() {
	if t.over() {
		return
	}
	_ = syscall.Kill(-t.cmd.Process.Pid, syscall.SIGHUP)
	_ = syscall.Kill(-t.cmd.Process.Pid, syscall.SIGCONT)
	if !t.overWithin(hangupTime) {
		endTree(t.cmd.Process.Pid, t.mark)
		t.overWithin(lastOutput + lastDraw + killLimit)
	}
}

func (t *termSession) overWithin(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		t.mu.Lock()
		ended, changed := t.ended, t.changed
		t.mu.Unlock()
		if ended {
			return true
		}
		select {
		case <-changed:
		case <-timer.C:
			return false
		}
	}
}

func (t *termSession) over() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ended
}

// release gives up what an ended session still holds.
func (t *termSession) release() {
	t.screen.Close()
	t.dropLog()
}

func (t *termSession) dropLog() {
	if t.log != nil {
		_ = t.log.Close()
		_ = os.Remove(t.log.Name())
	}
}

// resize changes the terminal's size; the kernel tells the program.
func (t *termSession) resize(rows, cols int) error {
	if t.over() {
		return &failure{wire.CodeInvalid, fmt.Sprintf("session %s has ended; start another", t.name)}
	}
	t.screen.Resize(rows, cols)
	t.mu.Lock()
	t.rows, t.cols = rows, cols
	t.mu.Unlock()
	if err := setSize(t.master, &pty.Winsize{Rows: uint16(rows), Cols: uint16(cols)}); err != nil {
		return fmt.Errorf("resize the terminal: %w", err)
	}
	return nil
}

// notify wakes everyone who waits for news.
func (t *termSession) notify() {
	close(t.changed)
	t.changed = make(chan struct{})
}
