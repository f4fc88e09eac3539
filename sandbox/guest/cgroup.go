package guest

import (
	"os"
	"strconv"
	"strings"

	"drydock/sandbox/wire"
)

// cgroupRoot is where a container sees its own cgroup.
const cgroupRoot = "/sys/fs/cgroup"

// counters reads the container's own cgroup, whichever version mounts it. The
// files that every call looks at stay open. Where there is a sentry, no cgroup
// is shown inside, and the sentry's watch counts instead.
type counters struct {
	version  int
	root     string
	oom      *os.File
	pidsNow  *os.File
	pidsMost *os.File
	pidsMax  *os.File // counts forks that the limit refused
	sentry   *sentry  // nil on the kernel itself
}

func findCounters(root string) counters {
	c := counters{root: root}
	oom, pids := "", ""
	if _, err := os.Stat(root + "/cgroup.controllers"); err == nil {
		c.version, oom, pids = 2, root+"/memory.events", root
	} else if _, err := os.Stat(root + "/memory/memory.oom_control"); err == nil {
		c.version, oom, pids = 1, root+"/memory/memory.oom_control", root+"/pids"
	} else {
		return c
	}
	// One that is missing stays nil and reads as 0.
	c.oom, _ = os.Open(oom)
	c.pidsNow, _ = os.Open(pids + "/pids.current")
	c.pidsMost, _ = os.Open(pids + "/pids.max")
	c.pidsMax, _ = os.Open(pids + "/pids.events")
	return c
}

// again reads a file of the kernel from its start.
func again(f *os.File) []byte {
	var buf [1024]byte
	n, _ := f.ReadAt(buf[:], 0) // nil gives an error and no bytes
	return buf[:n]
}

// oomKills counts the processes the kernel killed for memory so far.
func (c counters) oomKills() int64 {
	if c.sentry != nil {
		return c.sentry.oomKills.Load()
	}
	return valueOf(again(c.oom), "oom_kill")
}

// refusedForks counts the processes that the limit kept from being made or, under
// gVisor, how often processes were ended because there were too many.
func (c counters) refusedForks() int64 {
	if c.sentry != nil {
		return c.sentry.crowds.Load()
	}
	return valueOf(again(c.pidsMax), "max")
}

func (c counters) pids() (now, limit int64) {
	if c.sentry != nil {
		return c.sentry.use().tasks, c.sentry.tasks
	}
	return parse(again(c.pidsNow)), parse(again(c.pidsMost))
}

// pidsFull says that hardly a process can be started any more.
func (c counters) pidsFull() bool {
	now, limit := c.pids()
	return limit > 0 && now >= limit-limit/16
}

func (c counters) stats() wire.Stats {
	var s wire.Stats
	s.OOMKills = c.oomKills()
	s.Pids, s.PidsLimit = c.pids()
	s.MemoryBytes, s.MemoryLimit = c.memory()
	s.GuestRSS = keyed("/proc/self/status", "VmRSS:") * 1024
	s.GuestFiles = openFiles()
	for _, p := range processes() {
		if p.dead() {
			s.Zombies++
		}
	}
	return s
}

// openFiles counts the guest's own descriptors but the one that looks.
func openFiles() int {
	names, _ := os.ReadDir("/proc/self/fd")
	return max(0, len(names)-1)
}

func (c counters) memory() (now, limit int64) {
	switch {
	case c.sentry != nil:
		return c.sentry.use().memory, c.sentry.memory
	case c.version == 2:
		return number(c.root + "/memory.current"), number(c.root + "/memory.max")
	case c.version == 1:
		return number(c.root + "/memory/memory.usage_in_bytes"), number(c.root + "/memory/memory.limit_in_bytes")
	}
	return 0, 0
}

// number reads a file that holds one number; "max" and failures are 0.
func number(path string) int64 {
	raw, _ := os.ReadFile(path)
	return parse(raw)
}

func parse(raw []byte) int64 {
	n, _ := strconv.ParseInt(strings.TrimSpace(string(raw)), 10, 64)
	return n
}

// keyed reads the number behind a key at the start of a line.
func keyed(path, key string) int64 {
	raw, _ := os.ReadFile(path)
	return valueOf(raw, key)
}

func valueOf(raw []byte, key string) int64 {
	for line := range strings.Lines(string(raw)) {
		fields := strings.Fields(line)
		if len(fields) >= 2 && fields[0] == key {
			return parse([]byte(fields[1]))
		}
	}
	return 0
}
