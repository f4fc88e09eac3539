package sandboxtest

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// limits: the policy is what the kernel enforces, as seen from inside.
func limits(t *testing.T, s suite) {
	box := s.box(t, func(p *sandbox.Policy) {
		p.MemoryBytes, p.CPUs, p.Pids = 200<<20, 0.5, 77
		p.ShmBytes, p.FileBytes, p.OpenFiles = 8<<20, 16<<20, 333
		p.Network = sandbox.NetworkNone
		p.Env = map[string]string{"GREETING": "two words", "PAGER": "mine"}
	})

	t.Run("control files", func(t *testing.T) {
		if s.lacks(NoControlFiles) {
			t.SkipNow()
		}
		controlFiles(t, box)
	})

	t.Run("counters", func(t *testing.T) {
		st, err := box.Stats(t.Context())
		assert.NilError(t, err)
		assert.Equal(t, st.MemoryLimit, int64(200<<20))
		assert.Equal(t, st.PidsLimit, int64(77))
		assert.Assert(t, st.MemoryBytes > 0, "%+v", st)
		// Threads that the supervisor lacks now it could not get at the limit.
		assert.Assert(t, st.Pids >= 14 && st.Pids < 30, "%+v", st)
		most := int64(15 << 20)
		if box.Hello().Sentry {
			most = 32 << 20 // counted in larger pieces
		}
		assert.Assert(t, st.GuestRSS > 0 && st.GuestRSS <= most, "the guest holds %d bytes", st.GuestRSS)
	})

	t.Run("per process", func(t *testing.T) {
		assert.Equal(t, say(t, box, "ulimit -Hc; ulimit -Hn; ulimit -Hf"), "0\n333\n16384")
		res := shell(t, box, "head -c 20M /dev/zero >/tmp/big", 0)
		assert.Assert(t, res.Status == wire.StatusExitNonzero, "%+v", res)
		assert.Equal(t, say(t, box, "wc -c </tmp/big; rm /tmp/big"), fmt.Sprint(16<<20))
	})

	t.Run("shared memory", func(t *testing.T) {
		assert.Equal(t, say(t, box, "df -B1 --output=size /dev/shm | tail -1 | tr -d ' '"), fmt.Sprint(8<<20))
	})

	t.Run("environment", func(t *testing.T) {
		const want = "two words|mine|/home/agent|agent"
		assert.Equal(t, say(t, box, `echo "$GREETING|$PAGER|$HOME|$USER"`), want)
		assert.Equal(t, say(t, box, "pwd; touch x && rm x"), s.policy.Workdir)
	})
}

// controlFiles reads the files of cgroup version 2 or 1.
func controlFiles(t *testing.T, box *sandbox.Sandbox) {
	for _, row := range []struct{ name, v2, v1, want string }{
		{"memory", "memory.max", "memory/memory.limit_in_bytes", fmt.Sprint(200 << 20)},
		{"processes", "pids.max", "pids/pids.max", "77"},
		{"processors", "cpu.max", "cpu/cpu.cfs_quota_us cpu/cpu.cfs_period_us", "50000 100000"},
	} {
		got := say(t, box, "(cd /sys/fs/cgroup; cat "+row.v2+" 2>/dev/null || cat "+row.v1+")")
		assert.Equal(t, strings.Join(strings.Fields(got), " "), row.want, row.name)
	}
	swap := say(t, box, "(cd /sys/fs/cgroup; cat memory.swap.max memory/memory.memsw.limit_in_bytes 2>/dev/null); true")
	assert.Assert(t, swap == "" || swap == "0" || swap == fmt.Sprint(200<<20), "%q", swap) // none where swap is not accounted
}
