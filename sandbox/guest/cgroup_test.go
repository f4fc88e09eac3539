package guest

import (
	"os"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/sandbox/wire"
)

// layout writes control files as a container sees them.
func layout(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		assert.NilError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		assert.NilError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return root
}

var version2 = map[string]string{
	"cgroup.controllers": "cpuset cpu io memory hugetlb pids rdma misc\n",
	"memory.events":      "low 0\nhigh 0\nmax 17\noom 3\noom_kill 2\noom_group_kill 0\n",
	"memory.current":     "73400320\n",
	"memory.max":         "268435456\n",
	"pids.current":       "19\n",
	"pids.max":           "64\n",
}

var version1 = map[string]string{
	"memory/memory.oom_control":    "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
	"memory/memory.usage_in_bytes": "73400320\n",
	"memory/memory.limit_in_bytes": "268435456\n",
	"pids/pids.current":            "19\n",
	"pids/pids.max":                "64\n",
}

func TestCountersOfBothCgroupVersions(t *testing.T) {
	for version, files := range map[int]map[string]string{2: version2, 1: version1} {
		c := findCounters(layout(t, files))
		assert.Equal(t, c.version, version)
		got := c.stats()
		got.GuestRSS, got.GuestFiles, got.Zombies = 0, 0, 0 // of the test's own machine
		assert.DeepEqual(t, got, wire.Stats{MemoryBytes: 70 << 20, MemoryLimit: 256 << 20, OOMKills: 2, Pids: 19, PidsLimit: 64})
		assert.Assert(t, !c.pidsFull())
		assert.Equal(t, c.refusedForks(), int64(0))
	}
}

// Files of the kernel change under a descriptor that stays open.
func TestCountersSeeChanges(t *testing.T) {
	for _, row := range []struct {
		files            map[string]string
		oom, now, killed string
	}{
		{version2, "memory.events", "pids.current", "low 0\nhigh 0\nmax 20\noom 4\noom_kill 13\noom_group_kill 1\n"},
		{version1, "memory/memory.oom_control", "pids/pids.current", "oom_kill_disable 0\nunder_oom 1\noom_kill 13\n"},
	} {
		root := layout(t, row.files)
		c := findCounters(root)
		assert.NilError(t, os.WriteFile(filepath.Join(root, row.oom), []byte(row.killed), 0o644))
		assert.NilError(t, os.WriteFile(filepath.Join(root, row.now), []byte("61\n"), 0o644))
		assert.Equal(t, c.oomKills(), int64(13))
		assert.Assert(t, c.pidsFull())
	}
}

// What is missing or unlimited is 0, and is never taken for a limit.
func TestCountersThatAreNotThere(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"nothing":          {},
		"no pids":          {"cgroup.controllers": "memory\n", "memory.events": "oom_kill 0\n", "memory.current": "1\n", "memory.max": "max\n"},
		"no limits":        {"cgroup.controllers": "memory pids\n", "pids.current": "5\n", "pids.max": "max\n", "memory.max": "max\n"},
		"an old kernel's":  {"memory/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\n"},
		"no counters":      {"cgroup.controllers": "\n"},
		"nonsense in them": {"cgroup.controllers": "x\n", "memory.events": "oom_kill\noom_kill many\n", "pids.max": "-\n", "pids.current": "\n"},
	} {
		c := findCounters(layout(t, files))
		s := c.stats()
		assert.Equal(t, s.OOMKills+s.PidsLimit+s.MemoryLimit, int64(0), name)
		assert.Assert(t, !c.pidsFull(), name)
	}
}
