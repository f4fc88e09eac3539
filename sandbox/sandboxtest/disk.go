package sandboxtest

import (
	"fmt"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// disk: a run that writes more than it may is stopped, whoever writes, and can go
// on once it has made room.
func disk(t *testing.T, s suite) {
	const budget = 64 << 20
	for _, row := range []struct {
		name, command string
		needs         Lack // not played where this is lacking
	}{
		{"one file", `head -c 2G /dev/zero >a; sleep 5`, ""},
		{"the shell itself", `trap '' INT; block=$(head -c 1M /dev/zero | tr '\0' x); while :; do echo "$block" >>a; done`, ""},
		{"without a name", `exec 9>a; rm a; head -c 2G /dev/zero >&9; sleep 5`, ""},
		{"mapped", `python3 -c 'import mmap, os, time
f = open("a", "w+b"); f.truncate(2 << 30); m = mmap.mmap(f.fileno(), 2 << 30); os.remove("a"); f.close()
for i in range(0, 2 << 30, 4096): m[i] = 1
time.sleep(5)'`, NoMappedFiles},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if s.lacks(row.needs) {
				t.Skipf("lacking: %s", row.needs)
			}
			box := s.box(t, func(p *sandbox.Policy) { p.DiskBytes = budget })
			res := shell(t, box, row.command, time.Minute)
			assert.Equal(t, res.Status, wire.StatusExitNonzero, "%s", text(res))
			assert.Assert(t, res.DiskFull && res.ExitCode == 137, "%+v", res)
			alive(t, box)
			shell(t, box, "exec 9>&-", 0)
			say(t, box, "rm -f *; sleep 1; head -c 20M /dev/zero >b; ls")
			_, err := box.WriteFile(t.Context(), s.policy.Workdir+"/c", []byte("x"), wire.WriteOptions{})
			assert.NilError(t, err)
		})
	}
	t.Run("on a terminal", func(t *testing.T) {
		box := s.box(t, func(p *sandbox.Policy) { p.DiskBytes = budget })
		a, err := box.Terminal(t.Context(), wire.PathTerminalStart, wire.TerminalRequest{
			Command: "head -c 2G /dev/zero >a; sleep 100", Until: wire.TerminalUntil{Timeout: time.Minute},
		})
		assert.NilError(t, err)
		assert.Equal(t, a.Info.Signal, "SIGKILL", "%+v", a)
		alive(t, box)
	})
	t.Run("writing a file then", func(t *testing.T) {
		t.Parallel()
		box := s.box(t, func(p *sandbox.Policy) { p.DiskBytes = budget })
		shell(t, box, "head -c 2G /dev/zero >a", time.Minute)
		_, err := box.WriteFile(t.Context(), s.policy.Workdir+"/c", []byte("x"), wire.WriteOptions{})
		assertCode(t, err, wire.CodeNoSpace)
		assert.ErrorContains(t, err, fmt.Sprintf("allowed are %d MiB", budget>>20))
	})
}
