package guest

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"sync"
	"syscall"
)

// userThread is an operating-system thread whose file-system identity is the
// tool user. Reading another process's environment needs that identity: root
// without capabilities may not. It serves only paths below /proc/<pid> that the
// supervisor itself composes, never a path that came from elsewhere, because
// /proc/self seen from here is the supervisor.
//
// The thread is made once, at the start: when the sandbox's process limit is
// reached no further thread can be.
type userThread struct {
	jobs chan func()
}

func newUserThread(uid, gid int) *userThread {
	t := &userThread{jobs: make(chan func())}
	ready := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		becomeForFiles(uid, gid)
		close(ready)
		for job := range t.jobs {
			job()
		}
	}()
	<-ready
	return t
}

// becomeForFiles gives the calling thread another identity for access to files.
// gVisor has none for files alone; there the effective one does it, and the real
// and the saved one stay, so that the thread takes no signals of that user.
func becomeForFiles(uid, gid int) {
	const same = ^uintptr(0)
	_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSGID, uintptr(gid), 0, 0)
	_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, uintptr(uid), 0, 0)
	if now, _, _ := syscall.RawSyscall(syscall.SYS_SETFSUID, same, 0, 0); int(now) == uid {
		return
	}
	_, _, _ = syscall.RawSyscall(syscall.SYS_SETRESGID, same, uintptr(gid), same)
	_, _, _ = syscall.RawSyscall(syscall.SYS_SETRESUID, same, uintptr(uid), same)
}

func (t *userThread) do(job func()) {
	done := make(chan struct{})
	t.jobs <- func() { job(); close(done) }
	<-done
}

// marks reads the call mark of each process, "" where there is none.
func (t *userThread) marks(pids []int) map[int]string {
	out := make(map[int]string, len(pids))
	t.do(func() {
		for _, pid := range pids {
			raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
			if err == nil {
				out[pid] = markIn(raw)
			}
		}
	})
	return out
}

// cwd finds out the working directory of a process of the tool user, "" if
// unknown, while the caller goes on with something else.
func (t *userThread) cwd(pid int) <-chan string {
	dir := make(chan string, 1)
	t.jobs <- func() {
		at, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
		dir <- at
	}
	return dir
}

func markIn(environ []byte) string {
	prefix := []byte(markName + "=")
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if value, ok := bytes.CutPrefix(entry, prefix); ok {
			return string(value)
		}
	}
	return ""
}

// warmThreads makes the runtime create its threads now. Blocking system calls
// need threads later, and at the process limit creating one would end PID 1.
// Each goroutine holds a thread of its own until all have one.
func warmThreads(n int) {
	var ready, done sync.WaitGroup
	release := make(chan struct{})
	ready.Add(n)
	for range n {
		done.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			ready.Done()
			<-release
		})
	}
	ready.Wait()
	close(release)
	done.Wait()
}
