package sandboxtest

import (
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox/wire"
)

// timeouts: at its deadline a call ends with all that it started, however that
// tried to get away, and with nothing that an earlier call left running.
func timeouts(t *testing.T, s suite) {
	box := s.box(t)
	say(t, box, "setsid sleep 5000 & sleep 5001 & keep=me; cd /tmp")
	for _, row := range []struct{ name, command string }{
		{"plain", "sleep 6000"},
		{"deaf to signals", `bash -c 'trap "" INT TERM HUP QUIT; while :; do sleep 6001; done'`},
		{"deaf shell", `trap "" INT TERM HUP QUIT; while :; do sleep 6002; done`},
		{"another session", "setsid sleep 6003 & sleep 6004"},
		{"two forks away", "( ( setsid sh -c 'sleep 6005 & exec sleep 6006' & ) & ); sleep 6007"},
		{"without an environment", "env -i setsid /bin/sleep 6008 & sleep 6009"},
		{"stopped", "sleep 6010 & kill -STOP $!; wait"},
		{"a loop of the shell itself", "while :; do :; done"},
		{"in a function in a pipeline", "f() { while :; do sleep 0.01; done; }; f | cat"},
		{"without the mark", "unset DRYDOCK_CALL; setsid sleep 6012 & sleep 6013"},
		{"always forking", `bash -c 'while :; do sleep 6011 & sleep 0.02; done'`},
	} {
		t.Run(row.name, func(t *testing.T) {
			res := shell(t, box, row.command, 500*time.Millisecond)
			assert.Equal(t, res.Status, wire.StatusTimeout, "%s", text(res))
			assert.Assert(t, res.Duration < patience, "%s", res.Duration)
			left := processes(t, box)
			assert.Assert(t, !strings.Contains(left, "sleep 60"), "%s", left)
			assert.Assert(t, strings.Contains(left, "sleep 5000") && strings.Contains(left, "sleep 5001"), "%s", left)
			state := say(t, box, "trap - INT TERM HUP QUIT; echo $keep; pwd")
			assert.Assert(t, strings.HasSuffix(state, "me\n/tmp"), "%s", state) // the shell may report a killed job first
		})
	}
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
