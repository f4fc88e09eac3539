package guest

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// sentry stands for gVisor's kernel. The engine's limits hold for that kernel
// as a whole: at the memory limit it is killed with all that runs on it, and at
// the process limit it crashes. So the engine's limits leave it some room, and
// inside, a watch ends what goes over the policy's before those are reached.
type sentry struct {
	memory int64 // bytes that everything may hold
	tasks  int64 // processes and threads at a time

	oomKills atomic.Int64
	crowds   atomic.Int64
}

// onSentry tells gVisor's kernel by the version that every release of it gives:
// the engine's filter keeps its log, which would say it, from being read.
func onSentry() bool {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return false
	}
	release, version := unix.ByteSliceToString(name.Release[:]), unix.ByteSliceToString(name.Version[:])
	return strings.HasSuffix(release, "-gvisor") || version == "#1 SMP Sun Jan 10 15:06:54 PST 2016"
}

// use is what is taken up at a time.
type use struct{ memory, tasks int64 }

// use asks the sentry, whose answer is about the container alone.
func (s *sentry) use() use {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return use{}
	}
	unit := int64(max(info.Unit, 1))
	return use{memory: (int64(info.Totalram) - int64(info.Freeram)) * unit, tasks: int64(info.Procs)}
}

// Rhythm of the watch: memory fills at one or two gigabytes a second at most.
const (
	lookEvery   = 20 * time.Millisecond
	settleLimit = 300 * time.Millisecond
)

// watchSentry keeps the container below its limits until the process ends. Newer
// gVisors have a controller inside that refuses processes over a limit.
func (g *Guest) watchSentry(s *sentry) {
	_ = os.WriteFile(cgroupRoot+"/pids/pids.max", strconv.AppendInt(nil, s.tasks, 10), 0)
	crowdedBefore := false
	for range time.Tick(lookEvery) {
		now := s.use()
		if now.memory > s.memory {
			s.oomKills.Add(1)
			g.killLargest()
			if !s.settled() { // it is many that hold it, or they make more
				g.disperse(false)
			}
		}
		crowded := now.tasks > s.tasks
		if crowded {
			s.crowds.Add(1)
			g.disperse(crowdedBefore)
		}
		crowdedBefore = crowded
	}
}

// settled gives what was killed the time to give its memory back, and says
// whether that was enough. It gives up at once when others take still more.
func (s *sentry) settled() bool {
	most := s.use().memory + s.memory/16
	for deadline := time.Now().Add(settleLimit); time.Now().Before(deadline); time.Sleep(lookEvery / 4) {
		switch now := s.use().memory; {
		case now <= s.memory:
			return true
		case now > most:
			return false
		}
	}
	return false
}

// killLargest ends the process of the tool user that holds the most memory, as
// the kernel would.
func (g *Guest) killLargest() {
	victim, most := 0, int64(-1)
	for _, p := range g.others(nil) {
		if held := residentPages(p.pid); held > most {
			victim, most = p.pid, held
		}
	}
	if victim != 0 {
		_ = syscall.Kill(victim, syscall.SIGKILL)
	}
}

func residentPages(pid int) int64 {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if fields := bytes.Fields(raw); len(fields) > 1 {
		return parse(fields[1])
	}
	return 0
}

// disperse ends everything that the tools started and, where that was not
// enough, the shell and the interpreter as well. All of it is stopped at one
// stroke first: a fork bomb is faster than whoever looks for its processes.
func (g *Guest) disperse(again bool) {
	keep := g.own()
	if again {
		keep = map[int]bool{g.worker.live(): true}
	}
	for range disperseRounds {
		_ = syscall.Kill(-1, syscall.SIGSTOP)
		rest := g.others(keep)
		for _, p := range rest {
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		}
		if len(rest) == 0 {
			break
		}
	}
	_ = syscall.Kill(-1, syscall.SIGCONT)
}

// disperseRounds is more than enough for what was being forked at the stroke.
const disperseRounds = 5
