package guest

import (
	"os"
	"strconv"
	"strings"

	"drydock/sandbox/wire"
)

// counters reads the container's own cgroup, whichever version mounts it.
type counters struct {
	version int
	root    string
}

func findCounters() counters {
	const root = "/sys/fs/cgroup"
	if _, err := os.Stat(root + "/cgroup.controllers"); err == nil {
		return counters{version: 2, root: root}
	}
	if _, err := os.Stat(root + "/memory/memory.oom_control"); err == nil {
		return counters{version: 1, root: root}
	}
	return counters{root: root}
}

// oomKills counts the processes the kernel killed for memory so far.
func (c counters) oomKills() int64 {
	switch c.version {
	case 2:
		return keyed(c.root+"/memory.events", "oom_kill")
	case 1:
		return keyed(c.root+"/memory/memory.oom_control", "oom_kill")
	}
	return 0
}

func (c counters) pids() (now, limit int64) {
	dir := c.root
	if c.version == 1 {
		dir += "/pids"
	}
	return number(dir + "/pids.current"), number(dir + "/pids.max")
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
	switch c.version {
	case 2:
		s.MemoryBytes, s.MemoryLimit = number(c.root+"/memory.current"), number(c.root+"/memory.max")
	case 1:
		s.MemoryBytes = number(c.root + "/memory/memory.usage_in_bytes")
		s.MemoryLimit = number(c.root + "/memory/memory.limit_in_bytes")
	}
	s.GuestRSS = keyed("/proc/self/status", "VmRSS:") * 1024
	for _, p := range processes() {
		if p.dead() {
			s.Zombies++
		}
	}
	return s
}

// number reads a file that holds one number; "max" and failures are 0.
func number(path string) int64 {
	raw, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(strings.TrimSpace(string(raw)), 10, 64)
	return n
}

// keyed reads the number behind a key at the start of a line.
func keyed(path, key string) int64 {
	raw, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(raw)) {
		fields := strings.Fields(line)
		if len(fields) >= 2 && fields[0] == key {
			n, _ := strconv.ParseInt(fields[1], 10, 64)
			return n
		}
	}
	return 0
}
