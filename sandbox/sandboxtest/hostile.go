package sandboxtest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// supervisor: the first process cannot be harmed, read or spoken for.
func supervisor(t *testing.T, s suite) {
	box := s.box(t)
	for _, signal := range []string{"KILL", "STOP", "TERM", "INT", "HUP", "QUIT", "SEGV", "ABRT", "USR1", "63"} {
		res := shell(t, box, "kill -"+signal+" 1", patience)
		assert.Equal(t, res.Status, wire.StatusExitNonzero, signal)
		alive(t, box)
	}
	assert.Equal(t, say(t, box, `for f in /proc/1/fd /proc/1/fd/* /proc/1/environ /proc/1/mem /proc/1/maps /proc/1/root/ /proc/1/cwd/ /proc/1/task/1/mem; do
  ls "$f" >/dev/null 2>&1 && [ -d "$f" ] && echo "lists $f"
  (: <"$f") 2>/dev/null && [ ! -d "$f" ] && echo "reads $f"
  (: >"$f") 2>/dev/null && echo "writes $f"
done; true`), "")
	assert.Equal(t, pythonText(t, box, `import ctypes
libc = ctypes.CDLL(None, use_errno=True)
[libc.ptrace(request, 1, 0, 0) for request in (16, 0x4206)]`), "[-1, -1]\n") // attach, seize

	t.Run("its directory", func(t *testing.T) {
		for _, attempt := range []string{
			"ls /.drydock", "ls /.drydock/run", "touch /.drydock/x", "touch /.drydock/run/x", "touch /.drydock/output/x",
			"echo x >/.drydock/guest", "rm -f /.drydock/guest", "mv /.drydock /gone", "ln -sf /bin/true /.drydock/guest",
			"echo x >/.drydock/run/command", "rm -f /.drydock/run/command", "chmod 777 /.drydock/run", "mount --bind /tmp /.drydock/run",
		} {
			res := shell(t, box, "( "+attempt+" ) 2>&1", patience)
			assert.Equal(t, res.Status, wire.StatusExitNonzero, "%s\n%s", attempt, text(res))
		}
		shell(t, box, "rm -rf /.drydock /workspace/* 2>/dev/null", patience)
		alive(t, box)
	})
	t.Run("kill everything", func(t *testing.T) {
		shell(t, box, "kill -9 -1", patience)
		alive(t, box)
		shell(t, box, "kill -STOP $$", time.Second)
		alive(t, box)
	})
	t.Run("run the guest again", func(t *testing.T) {
		for _, mode := range []string{"init '{}'", "files </dev/null", "launch", "nonsense", ""} {
			res := shell(t, box, "/.drydock/guest "+mode+" 2>&1", patience)
			assert.Equal(t, res.Status, wire.StatusExitNonzero, "%s\n%s", mode, text(res))
		}
		alive(t, box)
	})
}

// channels: bytes that a program puts into the pipes it can find reach at most
// the result of its own call.
func channels(t *testing.T, s suite) {
	box := s.box(t)
	const garbage = `{ printf 'x 0 h\0garbage\n\0\0'; head -c 300000 /dev/urandom; }`
	t.Run("every pipe that is open somewhere", func(t *testing.T) {
		shell(t, box, `for f in /proc/[0-9]*/fd/*; do t=$(readlink "$f") && case $t in /.drydock/*)
  (timeout 1 sh -c '`+strings.ReplaceAll(garbage, "'", `'\''`)+` >"$1"' - "$t") 2>/dev/null ;; esac; done`, patience)
		alive(t, box)
	})
	t.Run("a forged end", func(t *testing.T) {
		// A DEBUG trap sees where the shell reports to, and by what word.
		shell(t, box, `trap 'case $BASH_COMMAND in *printf*/.drydock/run/c*) echo "$BASH_COMMAND" >/tmp/seen;; esac' DEBUG`, patience)
		pipe := `$(grep -o '/.drydock/run/c[A-Z0-9]*' /tmp/seen)`
		res := shell(t, box, `p=`+pipe+`; n=$(grep -o '\b[A-Z2-7]\{26\}\b' /tmp/seen | head -1)
printf '%s 0 h\0' "$n" >$p; `+garbage+` >$p; printf '\0%s 9 h\0' "$n" guess >$p; echo late; (exit 5)`, patience)
		assert.Equal(t, res.ExitCode, 5, "%s", text(res))
		assert.Equal(t, text(res), "late\n")
		alive(t, box)
	})
	t.Run("the script", func(t *testing.T) {
		// Reading the shell's own script steals the line of the next call.
		shell(t, box, `cat "$0" >/dev/null & disown; echo $0 >/tmp/script`, patience)
		_, err := box.Shell(t.Context(), "true", time.Second, false)
		assert.NilError(t, err)
		shell(t, box, "pkill cat; true", time.Second)
		alive(t, box)
	})
	t.Run("output that pretends", func(t *testing.T) {
		res := shell(t, box, `printf 'HTTP/1.1 200 OK\r\n\r\n{"status":"ok"}\0'; exit 9`, patience)
		assert.Equal(t, res.ExitCode, 9)
		alive(t, box)
	})
}

// floods: using up what there is ends at most the call that does it.
func floods(t *testing.T, s suite) {
	box := s.box(t, func(p *sandbox.Policy) { p.Pids, p.MemoryBytes, p.FileBytes = 64, 256<<20, 64<<20 })
	for _, row := range []struct{ name, command string }{
		{"fork bomb", `:(){ :|:& };:; wait; sleep 2`},
		{"fork bomb of sessions", `bomb() { setsid bash -c 'while :; do sleep 1000 & done' & }; bomb; bomb; sleep 2`},
		{"forks in python", `python3 -c 'import os
while True:
    try: os.fork()
    except OSError: pass'`},
		{"threads", `python3 -c 'import threading, time
while True: threading.Thread(target=time.sleep, args=(1000,)).start()'`},
		{"memory", hog},
		{"memory of many", `for i in 1 2 3 4; do python3 -c 'x = bytearray(150 << 20); import time; time.sleep(2)' & done; wait`},
		{"shared memory", `head -c 1G /dev/zero >/dev/shm/x; rm -f /dev/shm/x`},
		{"a large file", `yes >large; rm -f large`},
		{"open files", `python3 -c 'f = [open("/dev/null") for _ in range(10**6)]'`},
		{"deep directories", `for i in $(seq 300); do mkdir dddddddddddddddddddd && cd dddddddddddddddddddd; done; cd /workspace; rm -rf dddddddddddddddddddd`},
		{"where it stands is gone", `mkdir /tmp/gone; cd /tmp/gone; rmdir /tmp/gone`},
	} {
		t.Run(row.name, func(t *testing.T) {
			res := shell(t, box, row.command, 1500*time.Millisecond)
			assert.Assert(t, res.Duration < 3*patience, "%s", res.Duration)
			alive(t, box)
			st, err := box.Stats(t.Context())
			assert.NilError(t, err)
			assert.Assert(t, st.Pids < 40, "%d processes are left, %d of them dead", st.Pids, st.Zombies)
		})
	}
	t.Run("a long command", func(t *testing.T) {
		long := strings.Repeat("x", 2<<20)
		assert.Equal(t, say(t, box, "v="+long+"; echo ${#v}"), fmt.Sprint(len(long)))
		_, err := box.Shell(t.Context(), strings.Repeat(":;", wire.MaxCommand), 0, false)
		assertCode(t, err, wire.CodeTooLarge)
		alive(t, box)
	})
}
