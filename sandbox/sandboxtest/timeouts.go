package sandboxtest

import (
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox/wire"
)

// timeouts: at its deadline a call ends with all that it started, and with
// nothing that an earlier call left running; the shell keeps its state.
func timeouts(t *testing.T, s suite) {
	box := s.box(t)
	say(t, box, "setsid sleep 5000 & sleep 5001 & keep=me; cd /tmp")
	res := shell(t, box, "setsid sleep 6003 & sleep 6004", 500*time.Millisecond)
	assert.Equal(t, res.Status, wire.StatusTimeout, "%s", text(res))
	left := processes(t, box)
	assert.Assert(t, !strings.Contains(left, "sleep 60"), "%s", left)
	assert.Assert(t, strings.Contains(left, "sleep 5000") && strings.Contains(left, "sleep 5001"), "%s", left)
	state := say(t, box, "echo $keep; pwd")
	assert.Assert(t, strings.HasSuffix(state, "me\n/tmp"), "%s", state) // the shell may report a killed job first

	t.Run("no call is longer than the policy allows", func(t *testing.T) {
		assert.Assert(t, s.policy.MaxTimeout > 0)
		p := s.policy
		p.Timeout, p.MaxTimeout, p.MemoryBytes = time.Second, time.Second, 256<<20
		short := s.open(t, newClient(), p)
		res := shell(t, short, "sleep 1000", time.Hour)
		assert.Equal(t, res.Status, wire.StatusTimeout)
		assert.Assert(t, res.Duration < patience)
	})
}
