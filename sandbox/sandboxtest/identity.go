package sandboxtest

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// identity: whatever runs for the model is an ordinary user without a privilege
// and without a way to gain one.
func identity(t *testing.T, s suite) {
	box := s.box(t)
	hello := box.Hello()
	assert.Equal(t, hello.Version, wire.Version)
	assert.Equal(t, hello.ShellIs, "bash")
	assert.Assert(t, hello.Python != "" && hello.Arch != "", "%+v", hello)
	assert.Assert(t, hello.Cgroup > 0 || s.lacks(NoControlFiles), "%+v", hello)
	assert.Equal(t, hello.Sentry, sandbox.SentryRuntime(s.policy.Runtime))

	const none = "0000000000000000"
	want := fmt.Sprintf("%d %d %d CapInh: %s CapPrm: %s CapEff: %s CapBnd: %s 1 2", s.policy.UID, s.policy.GID, s.policy.GID, none, none, none, none)
	// no new privileges; the mode of the filter
	const ask = `id -u; id -g; id -G; grep -E "^Cap(Inh|Prm|Eff|Bnd):" /proc/self/status
python3 -c "import ctypes; ask = ctypes.CDLL(None).prctl; print(ask(39, 0, 0, 0, 0), ask(21, 0, 0, 0, 0))"`
	for name, answer := range map[string]string{
		"shell":  say(t, box, ask),
		"exec":   execText(t, box, "sh", "-c", ask),
		"python": pythonText(t, box, "import subprocess; print(subprocess.getoutput('''"+ask+"'''))"),
	} {
		assert.Equal(t, strings.Join(strings.Fields(answer), " "), want, name)
	}

	t.Run("signals are not ignored", func(t *testing.T) {
		const ask = `for s in HUP INT QUIT PIPE ALRM TERM USR1 USR2; do sh -c "kill -$s \$\$; echo $s"; done 2>/dev/null; true`
		for name, answer := range map[string]string{"shell": say(t, box, ask), "exec": execText(t, box, "sh", "-c", ask)} {
			assert.Equal(t, answer, "", name)
		}
	})
}

func execText(t *testing.T, box exec, argv ...string) string {
	t.Helper()
	res, err := box.Exec(t.Context(), wire.ExecRequest{Argv: argv})
	assert.NilError(t, err)
	assert.Equal(t, res.Status, wire.StatusOK, "%s", text(res))
	return text(res)
}
