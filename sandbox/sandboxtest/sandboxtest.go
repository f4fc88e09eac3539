// Package sandboxtest is the contract that every sandbox keeps, whatever engine
// it runs on: what is isolated, how calls end and what comes back. An engine's
// own tests play it by Run. What hostile programs try is in sandboxtest/abuse.
package sandboxtest

import (
	"context"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// themes are the parts of the contract. Some need an image with bash, python3
// and coreutils; the others need echo, true and sleep.
var themes = []struct {
	name     string
	programs bool
	play     func(*testing.T, suite)
}{
	{"identity", true, identity},
	{"limits", true, limits},
	{"endings", true, endings},
	{"timeouts", true, timeouts},
	{"output", true, outputs},
	{"python", true, python},
	{"contents", false, contents},
	{"files", true, files},
	{"archives", true, archives},
	{"harvest", true, harvest},
	{"closing", false, closing},
	{"client", false, client},
	{"disk", true, disk},
	{"terminals", true, terminals},
	{"hostile terminals", true, hostileTerminals},
	{"terminals and calls", true, terminalsAndCalls},
	{"attached", true, attached},
	{"strict", true, strict},
	{"root", true, root},
}

// Run plays the contract against an engine. The policy is the one to start
// from; its image must hold bash, python3 and coreutils. What the engine or the
// policy's runtime lacks is left out.
func Run(t *testing.T, engine sandbox.Engine, policy sandbox.Policy, lack ...Lack) {
	for _, theme := range themes {
		Play(t, theme.name, engine, policy, lack...)
	}
}

// RunWithoutPrograms plays what can be asked of an engine whose containers run
// no programs.
func RunWithoutPrograms(t *testing.T, engine sandbox.Engine, policy sandbox.Policy) {
	for _, theme := range themes {
		if !theme.programs {
			Play(t, theme.name, engine, policy)
		}
	}
}

// Play plays one part of the contract, for example identity.
func Play(t *testing.T, name string, engine sandbox.Engine, policy sandbox.Policy, lack ...Lack) {
	for _, theme := range themes {
		if theme.name == name {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				theme.play(t, suite{engine: engine, policy: policy, lack: lack})
			})
			return
		}
	}
	t.Fatalf("the contract has no part %s", name)
}

type suite struct {
	engine sandbox.Engine
	policy sandbox.Policy
	lack   []Lack
}

// patience is how long a call that must come back quickly may take on a busy
// machine.
const patience = 10 * time.Second

// box is a fresh sandbox, closed when the test ends.
func (s suite) box(t *testing.T, change ...func(*sandbox.Policy)) *sandbox.Sandbox {
	t.Helper()
	policy := s.policy
	policy.MemoryBytes, policy.Timeout = 512<<20, 30*time.Second
	for _, c := range change {
		c(&policy)
	}
	return s.open(t, new(sandbox.Client), policy)
}

func (s suite) open(t *testing.T, c *sandbox.Client, policy sandbox.Policy) *sandbox.Sandbox {
	t.Helper()
	box, err := c.Create(t.Context(), s.engine, runID(), policy)
	assert.NilError(t, err)
	t.Cleanup(func() { assert.NilError(t, box.Close(context.Background())) })
	return box
}

// shell runs a command in the persistent shell. A limit of 0 is the policy's.
func shell(t *testing.T, box *sandbox.Sandbox, command string, limit time.Duration) wire.Result {
	t.Helper()
	res, err := box.Shell(t.Context(), command, limit, false)
	assert.NilError(t, err, "%.200s", command)
	return res
}

// say runs a command that must succeed and gives what it printed.
func say(t *testing.T, box *sandbox.Sandbox, command string) string {
	t.Helper()
	res := shell(t, box, command, 0)
	assert.Equal(t, res.Status, wire.StatusOK, "%.200s\n%s", command, text(res))
	return strings.TrimSuffix(text(res), "\n")
}

// text is everything of the output that was kept.
func text(res wire.Result) string { return string(res.Head) + string(res.Tail) }

// alive checks that the sandbox answers, soon.
func alive(t *testing.T, box *sandbox.Sandbox) {
	t.Helper()
	began := time.Now()
	res := shell(t, box, "echo alive", patience)
	assert.Equal(t, res.Status, wire.StatusOK, "%+v", res)
	assert.Assert(t, strings.HasSuffix(text(res), "alive\n"), "%q", text(res))
	assert.Assert(t, time.Since(began) < patience)
}

// processes lists the command lines of all processes, one program that is not
// the shell's child looking at them.
func processes(t *testing.T, box *sandbox.Sandbox) string {
	t.Helper()
	const script = `for f in /proc/[0-9]*/cmdline; do tr '\0' ' ' <"$f"; echo; done 2>/dev/null`
	res, err := box.Exec(t.Context(), wire.ExecRequest{Argv: []string{"sh", "-c", script}})
	assert.NilError(t, err)
	return text(res)
}
