package guest

import (
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// reaper is the only caller of wait in the process. PID 1 inherits every orphan
// of the container, so waiting for single children elsewhere would race with
// collecting them.
type reaper struct {
	mu      sync.Mutex // held across fork and registration, so no exit is missed
	waiters map[int]chan syscall.WaitStatus
}

func newReaper() *reaper {
	return &reaper{waiters: map[int]chan syscall.WaitStatus{}}
}

// run collects dead processes until the process itself ends.
func (r *reaper) run() {
	sig := make(chan os.Signal, 16)
	signal.Notify(sig, syscall.SIGCHLD)
	for range sig {
		r.collect()
	}
}

func (r *reaper) collect() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		var ws syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &ws, syscall.WNOHANG, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
		if ch, ok := r.waiters[pid]; ok {
			delete(r.waiters, pid)
			ch <- ws
			close(ch)
		}
	}
}

// spec describes a process to start as the tool user.
type spec struct {
	argv  []string
	dir   string
	env   []string
	files []*os.File // become descriptors 0, 1, 2, 3 …
	uid   int
	gid   int
}

// process is a started child. done delivers its wait status once.
type process struct {
	pid  int
	done <-chan syscall.WaitStatus
}

// start forks and executes this program in the mode that argv names. The child leads its own session, so a signal to its
// group reaches nothing of ours.
func (r *reaper) start(s spec) (*process, error) {
	fds := make([]uintptr, len(s.files))
	for i, f := range s.files {
		fds[i] = f.Fd()
	}
	attr := &syscall.ProcAttr{
		Dir: s.dir, Env: s.env, Files: fds,
		Sys: &syscall.SysProcAttr{
			Setsid:     true,
			Credential: &syscall.Credential{Uid: uint32(s.uid), Gid: uint32(s.gid)},
		},
	}
	done := make(chan syscall.WaitStatus, 1)
	r.mu.Lock()
	pid, err := syscall.ForkExec(selfPath, s.argv, attr)
	if err == nil {
		r.waiters[pid] = done
	}
	r.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return &process{pid: pid, done: done}, nil
}

// exitCode is the shell's convention: the code, or 128 plus the signal.
func exitCode(ws syscall.WaitStatus) int {
	if ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return ws.ExitStatus()
}

// lastSignal is the last real-time signal.
const lastSignal = syscall.Signal(64)

// deaf is what the supervisor does not listen to.
var deaf = []os.Signal{
	syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT,
	syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE, syscall.SIGALRM, syscall.SIGTSTP,
}

// selfPath is this program, whatever has become of its file.
const selfPath = "/proc/self/exe"

// protect makes the supervisor's memory and descriptors unreadable for others
// and deaf to signals: also to those that end a Go program, as a crash would,
// when a program of the same user sends them.
func protect() error {
	signal.Ignore(deaf...)
	unheard := make(chan os.Signal, 16)
	for sig := syscall.Signal(1); sig <= lastSignal; sig++ {
		if !slices.Contains(append(deaf, syscall.SIGCHLD, syscall.SIGURG), os.Signal(sig)) {
			signal.Notify(unheard, sig)
		}
	}
	go func() {
		for range unheard {
		}
	}()
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}
