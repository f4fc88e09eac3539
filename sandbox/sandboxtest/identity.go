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

	t.Run("no way to become root", func(t *testing.T) {
		for _, attempt := range []string{
			"su -c id root </dev/null", "sudo -n id", "unshare -Ur id", "unshare -m true", "mount -t tmpfs x /mnt",
			"chroot / true", "mknod /tmp/dev c 1 3", "nsenter -t 1 -m true", "hostname other", "date -s 2001-01-01",
			"echo 1 >/proc/sysrq-trigger", "echo 0 >/proc/sys/kernel/randomize_va_space", "mkdir /sys/fs/cgroup/x",
			"cp /bin/bash /tmp/b && chown root /tmp/b", "renice -n -5 $$", "echo -500 >/proc/self/oom_score_adj",
			"python3 -c 'import os; os.setuid(0)'", "cat /etc/shadow", "touch /usr/bin/x", "dmesg",
		} {
			res := shell(t, box, "( "+attempt+" ) 2>&1", patience)
			assert.Equal(t, res.Status, wire.StatusExitNonzero, "%s\n%s", attempt, text(res))
		}
	})

	t.Run("root's programs do not make root", func(t *testing.T) {
		// Every set-user-id program of the image, run with its harmless option.
		const script = `for p in $(find /bin/ /sbin/ /usr/bin /usr/sbin /usr/lib/openssh /usr/lib/dbus-1.0 -perm -4000 -type f 2>/dev/null); do $p --version </dev/null >/dev/null 2>&1; done; id -u`
		assert.Equal(t, say(t, box, script), fmt.Sprint(s.policy.UID))
	})

	t.Run("nothing of the host", func(t *testing.T) {
		assert.Equal(t, say(t, box, "find /run /tmp /var/run/ /var/tmp -type s 2>/dev/null; ls -d /var/run/docker.sock 2>/dev/null; true"), "")
		assert.Equal(t, say(t, box, "hostname"), "sandbox")
		assert.Equal(t, say(t, box, "find /proc/[0-9]* -maxdepth 0 | wc -l | { read n; [ $n -lt 20 ] && echo own; }"), "own")
	})
}

func execText(t *testing.T, box exec, argv ...string) string {
	t.Helper()
	res, err := box.Exec(t.Context(), wire.ExecRequest{Argv: argv})
	assert.NilError(t, err)
	assert.Equal(t, res.Status, wire.StatusOK, "%s", text(res))
	return text(res)
}
