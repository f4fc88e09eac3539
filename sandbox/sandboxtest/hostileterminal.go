package sandboxtest

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// workerPID is the process that holds the terminals.
const workerPID = `for p in /proc/[0-9]*; do tr '\0' ' ' <$p/cmdline 2>/dev/null | grep -q 'guest terminals' && basename $p; done; true`

// hostileTerminals: what a program prints harms its own session at most, and the
// process that holds the terminals can be killed and comes back.
func hostileTerminals(t *testing.T, s suite) {
	box := s.box(t)
	t.Run("questions", func(t *testing.T) {
		sh := openTerm(t, box, "", "$ ")
		sh.send(`printf '\033[6n\033[c\033[>c\033P$qm\033\\\033]52;c;?\a\033]11;?\a\033]4;1;?\a\033[21t\033]0;title\a'; echo asked`+"\n", "asked\n")
		a := sh.send("echo clean\n", "clean\n")
		assert.Assert(t, !strings.Contains(screenOf(a), ";1R") && !strings.Contains(screenOf(a), "rgb"), "%s", screenOf(a))
		// A program that asks for itself is answered where that helps it.
		ask := `python3 -c 'import sys,tty,os;tty.setraw(0);os.write(1,b"\x1b[6n");print(repr(os.read(0,20)),end="\r\n")'; stty sane` + "\n"
		if !s.lacks(NoTerminalControl) {
			sh.send(ask, `R'`)
		}
		sh.end("exit\n")
	})
	t.Run("sequences", func(t *testing.T) {
		sh := openTerm(t, box, "", "$ ")
		for _, seq := range []string{
			`a\033[888888889b`, `\033[999999999X`, `\033[?69h\033[2;900s\033[S`, `\033[1;9999r\033[T`, `\033[8;1000000;1000000t`, `\033[?3h\033[?1049h\033[?1049l`,
			`\033]0;$(head -c 3000000 /dev/zero | tr "\0" x)`, `\033P$(head -c 3000000 /dev/zero | tr "\0" q)`,
		} {
			sh.send(`printf "`+seq+`"; printf '\030\033\\\033c'`+"\n", "$ ")
			sh.send("echo al''ive\n", "alive")
		}
		assert.Equal(t, sh.do(wire.PathTerminalRead, wire.TerminalRequest{}).Info.Cols, 80)
		sh.end("exit\n")
	})
	t.Run("flood", func(t *testing.T) {
		if s.lacks(NoTerminalControl) {
			t.Skip("it is ended by Ctrl-C")
		}
		sh := openTerm(t, box, "", "$ ")
		a := sh.do(wire.PathTerminalSend, wire.TerminalRequest{Text: "yes\n", Until: wire.TerminalUntil{Timeout: 2 * time.Second, Quiet: time.Second}})
		assert.Equal(t, a.Reason, wire.TerminalTimeout)
		sh.send("", "$ ", "C-c")
		sh.send("echo un''harmed\n", "unharmed")
		a = sh.do(wire.PathTerminalSend, wire.TerminalRequest{Text: "seq 1 2000000; echo do''ne\n", Until: until("done")})
		assert.Equal(t, a.Reason, wire.TerminalSeen, "%+v\n%s", a, screenOf(a))
		assert.Assert(t, strings.Contains(screenOf(a), "2000000\ndone"), "%s", screenOf(a))
		assert.Assert(t, a.Printed > 10<<20, "%d", a.Printed)
		sh.end("exit\n")
	})
	t.Run("killed", func(t *testing.T) {
		old := openTerm(t, box, "echo up; sleep 600 & setsid sleep 601", "up")
		say(t, box, "kill -9 $("+workerPID+")")
		refused(t, box, wire.PathTerminalRead, wire.TerminalRequest{Session: old.name}, wire.CodeNotFound, "is gone")
		assert.Assert(t, !strings.Contains(processes(t, box), "sleep 60"), "%s", processes(t, box))
		fresh := openTerm(t, box, "", "$ ")
		assert.Assert(t, fresh.name != old.name)
		say(t, box, "kill -STOP $("+workerPID+")")
		fresh.send("echo fi''ne\n", "fine")
		fresh.end("exit\n")
	})
	t.Run("stopped while it works", func(t *testing.T) {
		for name, stop := range map[string]string{
			"once": "(sleep 1; kill -STOP $w) & true", "for ever": "(sleep 1; while kill -STOP $w; do :; done) >/dev/null 2>&1 & true",
		} {
			t.Run(name, func(t *testing.T) {
				sh := openTerm(t, box, "", "$ ")
				say(t, box, "w=$("+workerPID+"); "+stop)
				_, err := box.Terminal(t.Context(), wire.PathTerminalWait, wire.TerminalRequest{
					Session: sh.name, Until: wire.TerminalUntil{Text: "never", Timeout: 4 * time.Second},
				})
				var call *sandbox.CallError
				assert.Assert(t, err == nil || errors.As(err, &call), "%v", err)
				_, err = box.Shell(t.Context(), ":", 0, true) // ends what does it
				assert.NilError(t, err)
				openTerm(t, box, "", "$ ").end("exit\n")
			})
		}
	})
	alive(t, box)
	t.Run("all processes", func(t *testing.T) {
		box := s.box(t, func(p *sandbox.Policy) { p.Pids = 96 })
		sh := openTerm(t, box, "", "$ ")
		sh.do(wire.PathTerminalSend, wire.TerminalRequest{
			Text:  "while :; do sleep 300 & done\n",
			Until: wire.TerminalUntil{Text: "Resource temporarily unavailable", Timeout: 30 * time.Second},
		})
		a := sh.do(wire.PathTerminalStop, wire.TerminalRequest{})
		assert.Assert(t, !a.Info.Running)
		alive(t, box)
		assert.Assert(t, !strings.Contains(processes(t, box), "sleep 300"))
	})
}

// terminalsAndCalls: a session outlives the calls of the other tools, is no
// background job of theirs, and ends when everything must.
func terminalsAndCalls(t *testing.T, s suite) {
	box := s.box(t, func(p *sandbox.Policy) { p.Timeout = 20 * time.Second })
	sh := openTerm(t, box, "", "$ ")
	sh.send("sleep 700 &\n", "\n")
	res := shell(t, box, "sleep 701 & echo started", 0)
	assert.Equal(t, len(res.Jobs), 1, "%+v", res.Jobs)
	assert.Equal(t, shell(t, box, "sleep 60", time.Second).Status, wire.StatusTimeout)
	_, err := box.Shell(t.Context(), "echo anew", 0, true)
	assert.NilError(t, err)
	sh.send("jobs; echo he''re\n", "here")
	assert.Assert(t, strings.Contains(processes(t, box), "sleep 700"))
	// Sessions that start while a call runs do not belong to it either.
	done := make(chan wire.Result, 1)
	go func() {
		r, _ := box.Shell(t.Context(), "sleep 3; false", 2*time.Second, false)
		done <- r
	}()
	other := openTerm(t, box, "", "$ ")
	assert.Equal(t, (<-done).Status, wire.StatusTimeout)
	other.send("echo al''so\n", "also")
	a := other.end("exit 5\n")
	assert.Equal(t, len(a.Ended), 0)
	next := sh.do(wire.PathTerminalStop, wire.TerminalRequest{})
	assert.Equal(t, next.Info.Running, false)
	assert.Assert(t, !strings.Contains(processes(t, box), "sleep 700"))
	last := openTerm(t, box, "echo up; sleep 702", "up")
	assert.NilError(t, box.Quiesce(t.Context()))
	refused(t, box, wire.PathTerminalRead, wire.TerminalRequest{Session: last.name}, wire.CodeNotFound, "is gone")
	assert.Assert(t, !strings.Contains(processes(t, box), "sleep 702"))
}

// attached: a person's own program, raw, on a terminal or through pipes.
func attached(t *testing.T, s suite) {
	box := s.box(t)
	t.Run("terminal", func(t *testing.T) {
		stream, err := box.Attach(t.Context(), wire.AttachRequest{TTY: true, Rows: 30, Cols: 90, Term: "xterm"})
		assert.NilError(t, err)
		defer stream.Close()
		assert.NilError(t, wire.WriteFrame(stream, wire.FrameInput, []byte("stty size; echo $TERM; tty\n")))
		assert.NilError(t, wire.WriteFrame(stream, wire.FrameResize, []byte(`{"rows":31,"cols":91}`)))
		assert.NilError(t, wire.WriteFrame(stream, wire.FrameInput, []byte("stty size; exit 9\n")))
		out, _, status := drainFrames(t, stream)
		assert.Equal(t, status.ExitCode, 9, "%s", out)
		assert.Assert(t, strings.Contains(out, "31 91") && strings.Contains(out, "xterm") && strings.Contains(out, "/dev/pts/"), "%q", out)
	})
	t.Run("pipes", func(t *testing.T) {
		stream, err := box.Attach(t.Context(), wire.AttachRequest{Argv: []string{"sh", "-c", "cat; echo bad >&2; exit 4"}})
		assert.NilError(t, err)
		defer stream.Close()
		payload := strings.Repeat("x\x00\xff", 100_000)
		for rest := payload; rest != ""; {
			n := min(len(rest), wire.MaxFrame)
			assert.NilError(t, wire.WriteFrame(stream, wire.FrameInput, []byte(rest[:n])))
			rest = rest[n:]
		}
		assert.NilError(t, wire.WriteFrame(stream, wire.FrameInput, nil))
		out, bad, status := drainFrames(t, stream)
		assert.Assert(t, out == payload, "%d bytes, not %d", len(out), len(payload))
		assert.Equal(t, bad, "bad\n")
		assert.Equal(t, status.ExitCode, 4)
	})
	t.Run("place and variables", func(t *testing.T) {
		stream, err := box.Attach(t.Context(), wire.AttachRequest{
			Argv: []string{"sh", "-c", "pwd; echo \"$A\""}, Dir: "/tmp", Env: map[string]string{"A": "b  c"},
		})
		assert.NilError(t, err)
		defer stream.Close()
		out, _, _ := drainFrames(t, stream)
		assert.Equal(t, out, "/tmp\nb  c\n")
	})
	t.Run("left", func(t *testing.T) {
		stream, err := box.Attach(t.Context(), wire.AttachRequest{Argv: []string{"sleep", "801"}})
		assert.NilError(t, err)
		assert.NilError(t, stream.Close())
		for deadline := time.Now().Add(patience); strings.Contains(processes(t, box), "sleep 801"); {
			assert.Assert(t, time.Now().Before(deadline), "it still runs")
		}
	})
	_, err := box.Attach(t.Context(), wire.AttachRequest{Argv: []string{"no-such-program"}})
	assert.ErrorContains(t, err, "the image has no no-such-program")
}

func drainFrames(t *testing.T, stream io.Reader) (out, bad string, status wire.FrameStatus) {
	t.Helper()
	for {
		kind, data, err := wire.ReadFrame(stream)
		assert.NilError(t, err, "%q", out)
		switch kind {
		case wire.FrameOutput:
			out += string(data)
		case wire.FrameError:
			bad += string(data)
		case wire.FrameExit:
			assert.NilError(t, json.Unmarshal(data, &status))
			return out, bad, status
		}
	}
}
