package sandboxtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// term is a session on a terminal, for tests.
type term struct {
	t    *testing.T
	box  *sandbox.Sandbox
	name string
}

// until waits for a text, with a wide margin.
func until(text string) wire.TerminalUntil {
	return wire.TerminalUntil{Text: text, Timeout: 20 * time.Second}
}

// openTerm starts a command and waits for a text.
func openTerm(t *testing.T, box *sandbox.Sandbox, command, text string) *term {
	t.Helper()
	a, err := box.Terminal(t.Context(), wire.PathTerminalStart, wire.TerminalRequest{Command: command, Until: until(text)})
	assert.NilError(t, err)
	assert.Equal(t, a.Reason, wire.TerminalSeen, "%q", a.Lines)
	return &term{t, box, a.Info.Session}
}

func (s *term) do(path string, req wire.TerminalRequest) wire.TerminalAnswer {
	s.t.Helper()
	req.Session = s.name
	a, err := s.box.Terminal(s.t.Context(), path, req)
	assert.NilError(s.t, err)
	return a
}

// send types a text, presses keys and waits for what must be printed.
func (s *term) send(text, expect string, keys ...string) wire.TerminalAnswer {
	s.t.Helper()
	a := s.do(wire.PathTerminalSend, wire.TerminalRequest{Text: text, Keys: keys, Until: until(expect)})
	assert.Equal(s.t, a.Reason, wire.TerminalSeen, "waiting for %q on\n%s", expect, screenOf(a))
	return a
}

// end presses keys and waits for the end of the program.
func (s *term) end(text string, keys ...string) wire.TerminalAnswer {
	s.t.Helper()
	a := s.do(wire.PathTerminalSend, wire.TerminalRequest{Text: text, Keys: keys, Until: wire.TerminalUntil{Timeout: 20 * time.Second}})
	assert.Equal(s.t, a.Reason, wire.TerminalEnded, "%s", screenOf(a))
	assert.Assert(s.t, !a.Info.Running)
	return a
}

func screenOf(a wire.TerminalAnswer) string {
	return strings.TrimRight(strings.Join(a.Lines, "\n"), "\n")
}

func refused(t *testing.T, box *sandbox.Sandbox, path string, req wire.TerminalRequest, code, text string) {
	t.Helper()
	_, err := box.Terminal(t.Context(), path, req)
	var call *sandbox.CallError
	assert.Assert(t, errors.As(err, &call), "%v", err)
	assert.Equal(t, call.Code, code, "%s", call.Message)
	assert.Assert(t, strings.Contains(call.Message, text), "%s", call.Message)
}

// terminals: programs that need a terminal are used through one.
func terminals(t *testing.T, s suite) {
	box := s.box(t)
	for name, play := range map[string]func(*testing.T, *sandbox.Sandbox){
		"python": func(t *testing.T, box *sandbox.Sandbox) {
			py := openTerm(t, box, "python3 -q", ">>> ")
			a := py.send("6*7\n", ">>> ")
			assert.Assert(t, strings.Contains(screenOf(a), "\n42\n"), "%s", screenOf(a))
			py.send("while True: pass\n\n", "... ")
			py.send("", "KeyboardInterrupt", "C-c")
			assert.Equal(t, py.end("exit(7)\n").Info.ExitCode, 7)
		},
		"password": func(t *testing.T, box *sandbox.Sandbox) {
			sh := openTerm(t, box, "", "$ ")
			sh.send("read -s -p 'Password: ' x; echo; echo got $x\n", "Password: ")
			a := sh.send("secret\n", "got secret")
			assert.Equal(t, strings.Count(screenOf(a), "secret"), 1, "%s", screenOf(a))
			sh.end("exit\n")
		},
		"pager": func(t *testing.T, box *sandbox.Sandbox) {
			less := openTerm(t, box, "seq 1 500 | less", "23")
			a := less.send("", "46", "Space")
			assert.Assert(t, a.Alternate)
			assert.Equal(t, a.Lines[0], "24", "%s", screenOf(a))
			less.send("/4[89]9\n", "489")
			less.send("", "(END)", "G")
			assert.Equal(t, less.end("", "q").Info.ExitCode, 0)
		},
		"top": func(t *testing.T, box *sandbox.Sandbox) {
			top := openTerm(t, box, "top -d 1", "PID")
			top.do(wire.PathTerminalWait, wire.TerminalRequest{Until: wire.TerminalUntil{Pattern: `\d+ agent|\d+ +1000|total`, Timeout: 20 * time.Second}})
			top.end("", "q")
		},
		"size": func(t *testing.T, box *sandbox.Sandbox) {
			sh := openTerm(t, box, "trap 'echo changed: $(stty size)' WINCH; stty size; while :; do sleep 0.1; done", "24 80")
			a := sh.do(wire.PathTerminalResize, wire.TerminalRequest{Rows: 40, Cols: 132})
			assert.Equal(t, len(a.Lines), 40)
			a = sh.do(wire.PathTerminalWait, wire.TerminalRequest{Until: until("changed: 40 132")})
			assert.Equal(t, a.Reason, wire.TerminalSeen, "%s", screenOf(a))
			sh.end("", "C-c")
		},
		"interrupt": func(t *testing.T, box *sandbox.Sandbox) {
			sh := openTerm(t, box, "", "$ ")
			sh.send("while true; do sleep 0.1; done\n", "\n")
			sh.send("", "^C", "C-c")
			sh.send("echo still $((40+2))\n", "still 42")
			a := sh.end("exit 3\n")
			assert.Equal(t, a.Info.ExitCode, 3)
			assert.Equal(t, a.Info.Signal, "")
		},
		"unicode": func(t *testing.T, box *sandbox.Sandbox) {
			sh := openTerm(t, box, "", "$ ")
			a := sh.send("printf '\\x27日本語 é 👍\\x27|\\n'\n", "'|")
			assert.Assert(t, strings.Contains(screenOf(a), "'日本語 é 👍'|"), "%s", screenOf(a))
			a = sh.send("echo größe\n", "\n")
			assert.Assert(t, strings.Contains(screenOf(a), "echo größe"), "%s", screenOf(a))
			sh.end("exit\n")
		},
		"drawn": func(t *testing.T, box *sandbox.Sandbox) { drawn(t, box) },
		"quiet": func(t *testing.T, box *sandbox.Sandbox) {
			a, err := box.Terminal(t.Context(), wire.PathTerminalStart, wire.TerminalRequest{
				Command: "for i in 1 2 3 4; do echo $i; sleep 0.2; done; sleep 60",
				Until:   wire.TerminalUntil{Quiet: 3 * time.Second, Timeout: 40 * time.Second},
			})
			assert.NilError(t, err)
			assert.Equal(t, a.Reason, wire.TerminalQuiet)
			assert.Equal(t, screenOf(a), "1\n2\n3\n4")
			sleeper := &term{t, box, a.Info.Session}
			a = sleeper.do(wire.PathTerminalWait, wire.TerminalRequest{Until: wire.TerminalUntil{Text: "never", Timeout: 300 * time.Millisecond}})
			assert.Equal(t, a.Reason, wire.TerminalTimeout)
			a = sleeper.do(wire.PathTerminalStop, wire.TerminalRequest{})
			assert.Assert(t, !a.Info.Running)
			assert.Assert(t, a.Info.ExitCode > 128, "%+v", a.Info)
			refused(t, box, wire.PathTerminalRead, wire.TerminalRequest{Session: sleeper.name}, wire.CodeNotFound, sleeper.name+" was stopped")
		},
		"history": func(t *testing.T, box *sandbox.Sandbox) {
			sh := openTerm(t, box, "", "$ ")
			sh.send("seq 1 100; echo done\n", "done\n")
			a := sh.do(wire.PathTerminalRead, wire.TerminalRequest{History: 3})
			assert.Equal(t, len(a.History), 3)
			assert.Assert(t, strings.Contains(strings.Join(a.History, " ")+" "+a.Lines[0], "78 79"), "%q %q", a.History, a.Lines[0])
			raw := say(t, box, "cat "+a.Info.Log)
			assert.Assert(t, strings.Contains(raw, "1\r\n2\r\n3\r\n"), "%.200q", raw)
			sh.end("exit\n")
		},
	} {
		if !s.lacks(NoTerminalControl) || !slices.Contains(needControl, name) {
			t.Run(name, func(t *testing.T) { play(t, box) })
		}
	}
	if !s.lacks(NoTerminalControl) {
		t.Run("requests", func(t *testing.T) { terminalRequests(t, box) }) // opens all that may be open
	}
}

// needControl is what NoTerminalControl takes away, beside the requests.
var needControl = []string{"python", "top", "size", "interrupt", "drawn"}

// drawn: a program that draws with escape sequences and reads single keys.
func drawn(t *testing.T, box *sandbox.Sandbox) {
	const tui = `
import sys, termios, tty
old = termios.tcgetattr(0)
tty.setraw(0)
out = sys.stdout
out.write("\x1b[?1049h\x1b[?25l\x1b[2J")
choice = 0
while True:
    for i, name in enumerate(["first", "second", "third"]):
        out.write("\x1b[%d;10H%s %s\x1b[K" % (5 + i, ">" if i == choice else " ", name))
    out.flush()
    key = sys.stdin.read(1)
    if key == "\x1b":
        key = sys.stdin.read(2)[1]
        choice = (choice + (key == "B") - (key == "A")) % 3
    elif key == "\r":
        break
out.write("\x1b[?25h\x1b[?1049l")
out.flush()
termios.tcsetattr(0, termios.TCSADRAIN, old)
print("chose", choice)
`
	_, err := box.WriteFile(t.Context(), "/tmp/tui.py", []byte(tui), wire.WriteOptions{})
	assert.NilError(t, err)
	menu := openTerm(t, box, "python3 /tmp/tui.py", "third")
	a := menu.send("", "> second", "Down")
	assert.Equal(t, a.Lines[5], "         > second")
	assert.Assert(t, a.Alternate)
	menu.send("", "> third", "Down")
	a = menu.end("", "Enter")
	assert.Assert(t, !a.Alternate)
	assert.Equal(t, screenOf(a), "chose 2")
}

// terminalRequests: what is asked wrongly is answered with what is right.
func terminalRequests(t *testing.T, box *sandbox.Sandbox) {
	start, send, list := wire.PathTerminalStart, wire.PathTerminalSend, wire.PathTerminalList
	sh := openTerm(t, box, "echo ready; cat", "ready")
	refused(t, box, start, wire.TerminalRequest{Rows: 24, Cols: 1_000_000}, wire.CodeInvalid, "cols 1 to 300")
	refused(t, box, start, wire.TerminalRequest{Dir: "/no/such"}, wire.CodeNotFound, "/no/such")
	refused(t, box, send, wire.TerminalRequest{Session: "t999"}, wire.CodeNotFound, "the sessions are:")
	refused(t, box, send, wire.TerminalRequest{Session: sh.name, Keys: []string{"Entre"}}, wire.CodeInvalid, "keys are Enter")
	refused(t, box, send, wire.TerminalRequest{Session: sh.name, Until: wire.TerminalUntil{Pattern: "("}}, wire.CodeInvalid, "RE2")
	refused(t, box, wire.PathTerminalResize, wire.TerminalRequest{Session: sh.name}, wire.CodeInvalid, "rows must be")
	a, err := box.Terminal(t.Context(), list, wire.TerminalRequest{})
	assert.NilError(t, err)
	assert.Assert(t, len(a.Sessions) >= 1)
	sh.end("", "C-d")
	refused(t, box, send, wire.TerminalRequest{Session: sh.name, Text: "x"}, wire.CodeInvalid, "has ended with exit code 0")
	for i := 0; ; i++ {
		_, err := box.Terminal(t.Context(), start, wire.TerminalRequest{Command: "sleep 600", Until: wire.TerminalUntil{Timeout: time.Millisecond}})
		if err != nil {
			assert.ErrorContains(t, err, fmt.Sprintf("there are %d sessions already", wire.MaxTerminals))
			break
		}
		assert.Assert(t, i <= wire.MaxTerminals)
	}
}
