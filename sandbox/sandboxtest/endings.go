package sandboxtest

import (
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox/wire"
)

// endings: how a call ended is measured, never guessed from a code or a text
// that a program can choose, and the next call always works.
func endings(t *testing.T, s suite) {
	box := s.box(t)
	for _, row := range []struct {
		name    string
		command string
		limit   time.Duration
		status  wire.Status
		code    int
		check   func(wire.Result) bool
	}{
		{name: "success", command: "echo out; echo err >&2", status: wire.StatusOK, check: func(r wire.Result) bool { return text(r) == "out\nerr\n" }},
		{name: "a code", command: "(exit 42)", status: wire.StatusExitNonzero, code: 42},
		{name: "a shell that ends", command: "exit 7", status: wire.StatusExitNonzero, code: 7, check: func(r wire.Result) bool { return r.Replaced != "" }},
		{name: "last words", command: "trap 'echo bye' EXIT; exit 7", status: wire.StatusExitNonzero, code: 7, check: func(r wire.Result) bool { return text(r) == "bye\n" }},
		{name: "time", command: "echo before; sleep 1000", limit: time.Second, status: wire.StatusTimeout, code: 124, check: func(r wire.Result) bool {
			return text(r) == "before\n" && r.Duration < patience && r.Duration >= time.Second && r.Replaced == ""
		}},
		{name: "no such program", command: "no-such-program-here", status: wire.StatusExitNonzero, code: 127},
		{name: "broken syntax", command: "if ; then (", status: wire.StatusExitNonzero, code: 2},
		{name: "nothing", command: "", status: wire.StatusOK},
		{name: "a background job does not hold the call", command: "sleep 77 & echo started", status: wire.StatusOK, check: func(r wire.Result) bool {
			return r.Duration < patience && len(r.Jobs) == 1 && !strings.Contains(r.Jobs[0].Command, "drydock")
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			res := shell(t, box, row.command, row.limit)
			assert.Equal(t, res.Status, row.status, "%s\n%+v", text(res), res)
			assert.Equal(t, res.ExitCode, row.code, "%s", text(res))
			assert.Assert(t, row.check == nil || row.check(res), "%s\n%+v", text(res), res)
			alive(t, box)
		})
	}
	t.Run("jobs", func(t *testing.T) {
		assert.Equal(t, say(t, box, "jobs -r | grep -c 'sleep 77'; kill %1; wait; jobs -r"), "1")
		res := shell(t, box, "sleep 78 & sleep 0.2; trap 'echo hup' HUP; trap 'echo int' INT; kill -HUP $$; kill -INT $$", 0)
		assert.Equal(t, text(res), "hup\nint\n")
		assert.Assert(t, len(res.Jobs) == 1 && res.Jobs[0].Command == "sleep 78", "%v", res.Jobs)
	})
	t.Run("restart", func(t *testing.T) {
		say(t, box, "x=1; cd /tmp; sleep 88 & true")
		res, err := box.Shell(t.Context(), `echo "[$x]"; pwd`, 0, true)
		assert.NilError(t, err)
		assert.Equal(t, text(res), "[]\n"+s.policy.Workdir+"\n")
		assert.Equal(t, len(res.Jobs), 0)
	})
	t.Run("one program", func(t *testing.T) {
		res, err := box.Exec(t.Context(), wire.ExecRequest{
			Argv: []string{"sh", "-c", "cat; echo $V; pwd; setsid sleep 99 & exit 5"}, Dir: "/usr",
			Stdin: []byte("in\n"), Env: map[string]string{"V": "v"},
		})
		assert.NilError(t, err)
		assert.Equal(t, text(res), "in\nv\n/usr\n")
		assert.Equal(t, res.ExitCode, 5)
		assert.Assert(t, !strings.Contains(processes(t, box), "sleep 99"), "it left a process behind")
		_, err = box.Exec(t.Context(), wire.ExecRequest{Argv: []string{"no-such-program"}})
		assertCode(t, err, wire.CodeMissing)
		_, err = box.Exec(t.Context(), wire.ExecRequest{})
		assertCode(t, err, wire.CodeInvalid)
	})
}
