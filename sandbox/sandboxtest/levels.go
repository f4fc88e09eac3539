package sandboxtest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// strict: nothing outside of the sized places can be written to, and filling
// those harms nothing else.
func strict(t *testing.T, s suite) {
	box := s.box(t, func(p *sandbox.Policy) { p.Level, p.MemoryBytes = sandbox.LevelStrict, 512<<20 })
	for _, path := range []string{"/x", "/usr/bin/x", "/var/tmp/x", "/etc/x", "/opt/x", "/run/x", "/.drydock/x"} {
		res := shell(t, box, "echo x >"+path, patience)
		assert.Equal(t, res.Status, wire.StatusExitNonzero, path)
	}
	mounts := say(t, box, `awk '$2 == "/" || $3 == "tmpfs" {print $2, $4}' /proc/mounts`)
	for line := range strings.Lines(mounts) {
		where, options, _ := strings.Cut(strings.TrimSpace(line), " ")
		readOnly := strings.HasPrefix(options, "ro,")
		assert.Assert(t, readOnly || strings.Contains(options, "size=") || strings.HasPrefix(where, "/dev") || where == "/sys/fs/cgroup", "%s", line)
	}
	for _, dir := range []string{s.policy.Workdir, "/tmp", sandbox.Home} {
		res := shell(t, box, "head -c 2G /dev/zero >"+dir+"/fill", 0)
		assert.Equal(t, res.Status, wire.StatusExitNonzero, "%s: %s", dir, text(res))
		assert.Equal(t, res.OOMKills, int64(0), dir)
		_, err := box.WriteFile(t.Context(), dir+"/new", []byte(strings.Repeat("x", 8000)), wire.WriteOptions{})
		assertCode(t, err, wire.CodeNoSpace)
		say(t, box, "rm "+dir+"/fill; printf '#!/bin/sh\\necho run' >"+dir+"/run; chmod +x "+dir+"/run; "+dir+"/run")
	}
	alive(t, box)
	say(t, box, "cd; python3 -c 'import tempfile; tempfile.TemporaryFile()'; exit 0")
	assert.Equal(t, say(t, box, "pwd"), sandbox.Home) // the note of where a shell stood finds its place
}

// root: the model's programs are root of the container, and still reach neither
// the guest nor the host.
func root(t *testing.T, s suite) {
	if s.lacks(NoRootGuard) {
		t.Skip("nothing protects the first process from root")
	}
	box := s.box(t, func(p *sandbox.Policy) { p.Level = sandbox.LevelRoot })
	assert.Equal(t, say(t, box, "id -u; touch /usr/bin/x && chown 1000:1000 /usr/bin/x && stat -c %u /usr/bin/x"), "0\n1000")
	assert.Equal(t, say(t, box, "setpriv --reuid 1000 --clear-groups --regid 1000 id -u"), "1000")
	t.Run("signals", func(t *testing.T) {
		for n := 1; n <= 64; n++ {
			shell(t, box, fmt.Sprintf("kill -%d 1", n), patience)
		}
		alive(t, box)
	})
	t.Run("the guest", func(t *testing.T) {
		assert.Equal(t, say(t, box, `for f in /proc/1/fd/0 /proc/1/environ /proc/1/mem /proc/1/maps /proc/1/root/etc /proc/1/cwd/etc; do
  (: <"$f") 2>/dev/null && echo "reads $f"; (: >>"$f") 2>/dev/null && echo "writes $f"; done; true`), "")
		assert.Equal(t, pythonText(t, box, `import ctypes
libc = ctypes.CDLL(None, use_errno=True)
[libc.ptrace(request, 1, 0, 0) for request in (16, 0x4206)]`), "[-1, -1]\n")
	})
	t.Run("the host", func(t *testing.T) {
		for _, attempt := range []string{
			"mount -t tmpfs x /mnt", "mknod /tmp/dev b 8 0", "unshare -m true", "chroot / true", "dmesg", "date -s 2001-01-01", "hostname other",
			"echo 1 >/proc/sysrq-trigger", "echo x >/proc/sys/kernel/core_pattern", "cd /sys/fs/cgroup; cd memory || true; mkdir x", "ip link add x type dummy", "nsenter -t 1 -m true",
			"python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)'",
		} {
			res := shell(t, box, "( "+attempt+" ) 2>&1", patience)
			assert.Equal(t, res.Status, wire.StatusExitNonzero, "%s\n%s", attempt, text(res))
		}
	})
	t.Run("processes of others", func(t *testing.T) {
		res := shell(t, box, "setpriv --reuid 1000 --clear-groups --regid 1000 sleep 1000; true", 0)
		assert.Equal(t, res.Status, wire.StatusTimeout)
		assert.Assert(t, !strings.Contains(processes(t, box), "sleep 1000"))
	})
	t.Run("the interpreters are deleted", func(t *testing.T) {
		shell(t, box, "rm -f $(type -P sh bash dash python3 python3.11) $(readlink -f $(type -P python3 sh))", 0)
		alive(t, box)
		_, err := box.Python(t.Context(), "1", 0, true)
		var call *sandbox.CallError
		assert.Assert(t, errors.As(err, &call), "%v", err)
		_, err = box.Shell(t.Context(), "exit 0", 0, false)
		assert.NilError(t, err)
		_, err = box.Shell(t.Context(), "true", 0, false)
		assert.Assert(t, errors.As(err, &call), "%v", err)
		assert.Equal(t, call.Code, wire.CodeMissing)
	})
}
