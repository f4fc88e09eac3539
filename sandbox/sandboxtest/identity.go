package sandboxtest

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/sandbox/wire"
)

// identity: whatever runs for the model is an ordinary user without a privilege
// and without a way to gain one.
func identity(t *testing.T, s suite) {
	box := s.box(t)
	hello := box.Hello()
	assert.Equal(t, hello.Version, wire.Version)
	assert.Equal(t, hello.ShellIs, "bash")
	assert.Assert(t, hello.Python != "" && hello.Arch != "" && hello.Cgroup > 0, "%+v", hello)

	user := fmt.Sprintf("%d %d", s.policy.UID, s.policy.GID)
	const ask = "id -u; id -g; id -G; grep -E '^(CapInh|CapPrm|CapEff|CapBnd|CapAmb|NoNewPrivs|Seccomp):' /proc/self/status"
	for name, answer := range map[string]string{
		"shell":  say(t, box, ask),
		"exec":   execText(t, box, "sh", "-c", ask),
		"python": pythonText(t, box, "import subprocess; print(subprocess.getoutput("+`"""`+ask+`"""`+"))"),
	} {
		fields := strings.Join(strings.Fields(answer), " ")
		want := fmt.Sprintf("%s %d CapInh: 0000000000000000 CapPrm: 0000000000000000 CapEff: 0000000000000000 CapBnd: 0000000000000000 CapAmb: 0000000000000000 NoNewPrivs: 1 Seccomp: 2",
			user, s.policy.GID)
		assert.Equal(t, fields, want, name)
	}

	t.Run("signals are not ignored", func(t *testing.T) {
		const ask = "grep SigIgn /proc/self/status"
		for name, answer := range map[string]string{"shell": say(t, box, ask), "exec": execText(t, box, "sh", "-c", ask)} {
			assert.Equal(t, strings.Fields(answer)[1], "0000000000000000", name)
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
