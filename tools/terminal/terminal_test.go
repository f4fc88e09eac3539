package terminal_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/wire"
	"drydock/tools"
	"drydock/tools/terminal"
)

// fake answers what it is told to and keeps the request.
type fake struct {
	path   string
	req    wire.TerminalRequest
	answer wire.TerminalAnswer
	err    error
}

func (f *fake) Terminal(_ context.Context, path string, req wire.TerminalRequest) (wire.TerminalAnswer, error) {
	f.path, f.req = path, req
	return f.answer, f.err
}

func (f *fake) Policy() sandbox.Policy { return sandbox.DefaultPolicy() }

func call(t *testing.T, f *fake, arguments string) (tools.Result, string) {
	t.Helper()
	res, err := terminal.New(f).Run(t.Context(), json.RawMessage(arguments))
	assert.NilError(t, err)
	return res, tools.Render(res, 0)
}

func TestArgumentsBecomeRequests(t *testing.T) {
	f := &fake{answer: wire.TerminalAnswer{Info: wire.TerminalInfo{Running: true}}}
	call(t, f, `{"action":"start","command":"python3"}`)
	assert.Equal(t, f.path, wire.PathTerminalStart)
	assert.DeepEqual(t, f.req.Until, wire.TerminalUntil{Quiet: 500 * time.Millisecond, Timeout: 10 * time.Second})
	call(t, f, `{"action":"send","session":"t1","text":"a\n","keys":["C-c"],"wait_for":"$ ","timeout":3}`)
	assert.DeepEqual(t, f.req.Until, wire.TerminalUntil{Text: "$ ", Timeout: 3 * time.Second})
	assert.DeepEqual(t, f.req.Keys, []string{"C-c"})
	call(t, f, `{"action":"wait","wait_for":"/^ok$/","quiet_ms":250,"timeout":1e9}`)
	assert.DeepEqual(t, f.req.Until, wire.TerminalUntil{Pattern: "^ok$", Quiet: 250 * time.Millisecond, Timeout: f.Policy().MaxTimeout})
}

func TestScreensAreRendered(t *testing.T) {
	screen := wire.TerminalAnswer{
		Info:    wire.TerminalInfo{Session: "t1", Command: "top", Rows: 4, Cols: 20, Running: true},
		Lines:   []string{"first \u009b2J\u202e", "", "third", ""},
		History: []string{"above"}, Above: 3, Row: 2, Col: 5,
	}
	_, text := call(t, &fake{answer: screen}, `{"action":"read","history":1}`)
	assert.Equal(t, text, "above\nfirst \uFFFD2J\uFFFD\n\nthird\n[t1: 4 rows, 20 columns, cursor at row 3, column 6, 2 more lines above]\n")

	screen.Reason, screen.Skipped, screen.Taken, screen.Offered, screen.Resets = wire.TerminalTimeout, 9, 1, 2, 1
	screen.Ended = []wire.TerminalInfo{{Session: "t2", Command: "x\n]y", ExitCode: 137, Signal: "SIGKILL"}}
	screen.Info.Log = "/log"
	res, text := call(t, &fake{answer: screen}, `{"action":"wait","wait_for":"ready"}`)
	assert.Equal(t, res.Status, tools.StatusTimeout)
	for _, note := range []string{
		"[not seen within 10 s: ready; the program goes on]", "[9 bytes came too fast to be drawn; the raw output is in /log]",
		"[only 1 of 2 bytes of input were taken: the program does not read]", "[the screen was emptied:", "[t2 (x ]y) was ended by SIGKILL, exit code 137]",
	} {
		assert.Assert(t, strings.Contains(text, note), "%s", text)
	}
	res, text = call(t, &fake{answer: wire.TerminalAnswer{Info: wire.TerminalInfo{Session: "t1", Command: "sh", ExitCode: 2}}}, `{"action":"read"}`)
	assert.Equal(t, res.Status, tools.StatusExitNonzero)
	assert.Assert(t, strings.HasSuffix(text, "[t1 (sh) ended with exit code 2]\n"), "%s", text)
}

func TestFailuresAreTold(t *testing.T) {
	res, text := call(t, &fake{err: &sandbox.CallError{Code: wire.CodeBusy, Message: "there are 8 sessions already"}}, `{"action":"start"}`)
	assert.Equal(t, res.Status, tools.StatusToolError)
	assert.Equal(t, text, "terminal: there are 8 sessions already.")
	lost := &sandbox.LostError{Op: "use a terminal", Err: errors.New("gone")}
	_, err := terminal.New(&fake{err: lost}).Run(t.Context(), json.RawMessage(`{"action":"list"}`))
	assert.Assert(t, errors.Is(err, lost))
}
