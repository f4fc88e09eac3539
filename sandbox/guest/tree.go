package guest

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// markName is the variable that ties a process to the call that started it.
// Children inherit it, also those that left the session and the parent.
const markName = "DRYDOCK_CALL"

// ticksPerSecond is the unit of start times in /proc, fixed on Linux.
const ticksPerSecond = 100

// proc is one process of the container.
type proc struct {
	pid, ppid int
	state     byte
	start     int64 // ticks since boot
	name      string
}

// bootTicks is now, in the unit of proc.start.
func bootTicks() int64 {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts) != nil {
		return 0
	}
	return ts.Sec*ticksPerSecond + ts.Nsec/(1e9/ticksPerSecond)
}

// processes lists what runs for the tool user, whatever identity it has taken
// on. A child that the supervisor is just starting is not in it, because none is
// while the reaper's lock is held.
func (g *Guest) processes() map[int]proc {
	g.reaper.mu.Lock()
	defer g.reaper.mu.Unlock()
	return processes()
}

// processes lists the container's processes but PID 1.
func processes() map[int]proc {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	out := make(map[int]proc, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == 1 {
			continue
		}
		if p, ok := readProc(pid); ok {
			out[pid] = p
		}
	}
	return out
}

func readProc(pid int) (proc, bool) {
	var buf [1024]byte // a line of some 50 numbers and a name of 16 bytes
	raw, err := readDirect("/proc/"+strconv.Itoa(pid)+"/stat", buf[:])
	if err != nil {
		return proc{}, false
	}
	// The name is in parentheses and may itself hold any byte.
	open, end := bytes.IndexByte(raw, '('), bytes.LastIndexByte(raw, ')')
	if open < 0 || end < open {
		return proc{}, false
	}
	fields := strings.Fields(string(raw[end+1:]))
	const startField = 19 // counted from the state, the first after the name
	if len(fields) <= startField {
		return proc{}, false
	}
	ppid, _ := strconv.Atoi(fields[1])
	start, _ := strconv.ParseInt(fields[startField], 10, 64)
	return proc{
		pid: pid, ppid: ppid, state: fields[0][0],
		start: start, name: string(raw[open+1 : end]),
	}, true
}

func (p proc) dead() bool { return p.state == 'Z' || p.state == 'X' }

// callScope says which processes belong to a call.
type callScope struct {
	mark  string
	owner int   // the shell, interpreter or program the call runs in
	since int64 // ticks; what started earlier belongs to an earlier call
}

// members lists the live processes of a call. A mark decides where there is
// one; a process without (a fork that never executed a program, or one that
// cleared its environment) belongs to the call if it is new and hangs below the
// owner or has been orphaned. keep is never listed.
func (g *Guest) members(scope callScope, keep map[int]bool) []int {
	all := g.processes()
	var pids []int
	for pid, p := range all {
		if !p.dead() && !keep[pid] {
			pids = append(pids, pid)
		}
	}
	marks := g.user.marks(pids)
	var out []int
	for _, pid := range pids {
		mark, p := marks[pid], all[pid]
		switch {
		case mark == scope.mark:
			out = append(out, pid)
		case mark == "" && p.start >= scope.since && below(all, pid, scope.owner, keep):
			out = append(out, pid)
		}
	}
	return out
}

// below says whether pid descends from owner, or from nobody any more.
func below(all map[int]proc, pid, owner int, keep map[int]bool) bool {
	for range len(all) {
		parent := all[pid].ppid
		if parent == owner || parent <= 1 {
			return true
		}
		if keep[parent] {
			return false
		}
		if _, ok := all[parent]; !ok {
			return true
		}
		pid = parent
	}
	return false
}

// killDeaf ends the processes that ignore an interrupt, which would not obey it
// however long they were given, and says how many there were.
func killDeaf(pids []int) int {
	killed := 0
	for _, pid := range pids {
		if ignores(pid, syscall.SIGINT) && syscall.Kill(pid, syscall.SIGKILL) == nil {
			killed++
		}
	}
	return killed
}

// ignores says whether a process ignores a signal.
func ignores(pid int, sig syscall.Signal) bool {
	raw, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	_, rest, _ := bytes.Cut(raw, []byte("\nSigIgn:"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	mask, _ := strconv.ParseUint(string(bytes.TrimSpace(line)), 16, 64)
	return mask&(1<<(sig-1)) != 0
}

// killLimit bounds one killMembers: on a busy machine a fork bomb takes a while.
const killLimit = 8 * time.Second

// freezeAfter is when processes that come and go faster than they are found are
// stopped all at once.
const freezeAfter = 500 * time.Millisecond

// killMembers ends every process of a call and says how many there were. Those
// that fork while being killed are stopped first, so the loop comes to an end.
func (g *Guest) killMembers(scope callScope, keep map[int]bool) int {
	killed := map[int]bool{}
	began, frozen := time.Now(), false
	for time.Since(began) < killLimit {
		if !frozen && time.Since(began) > freezeAfter {
			frozen = true
			defer g.freeze(nil)()
		}
		pids := g.members(scope, keep)
		if len(pids) == 0 {
			break
		}
		stopped := g.halt(pids)
		if fresh := countNew(pids, killed); fresh > 0 && stopped {
			continue
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(2 * time.Millisecond)
	}
	return len(killed)
}

// freeze stops every process of the container in one step, which none can fork
// out of, but those to keep. The function it returns lets those go on that were
// not stopped before.
func (g *Guest) freeze(keep map[int]bool) (thaw func()) {
	if g.counters.sentry != nil {
		return func() {} // see halt
	}
	const stopped = 'T'
	g.reaper.mu.Lock() // a child that is just being started would never come to run
	before := processes()
	_ = syscall.Kill(-1, syscall.SIGSTOP)
	g.reaper.mu.Unlock()
	for pid := range keep {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
	return func() {
		for pid := range processes() {
			if before[pid].state != stopped {
				_ = syscall.Kill(pid, syscall.SIGCONT)
			}
		}
	}
}

// halt stops processes, so that none can fork away from being killed, and says
// whether it did. gVisor takes the death of a stopped process for that of a
// session's leader, and hangs up on its group: the shell and its jobs.
func (g *Guest) halt(pids []int) bool {
	if g.counters.sentry != nil {
		return false
	}
	signalAll(pids, syscall.SIGSTOP)
	return true
}

// countNew adds pids to seen and says how many were not there.
func countNew(pids []int, seen map[int]bool) int {
	fresh := 0
	for _, pid := range pids {
		if !seen[pid] {
			seen[pid] = true
			fresh++
		}
	}
	return fresh
}

func signalAll(pids []int, sig syscall.Signal) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, sig)
	}
}
