package main

import (
	"encoding/json"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime"
)

// What comes from a model or a sandbox must not steer the terminal.
func TestProgressHasNoControlSequences(t *testing.T) {
	const hostile = "a\x1b]0;title\x07b\x1b[2J\x1b[31mc\rd\x00\u009b5m"
	args, err := json.Marshal(map[string]string{"command": hostile})
	assert.NilError(t, err)
	code := 1
	var out strings.Builder
	p := progress{out: &out}
	for _, d := range []runtime.Payload{
		runtime.RunStarted{Agent: "swe", Model: "m" + hostile, Image: "i"},
		runtime.SandboxReady{Missing: map[string]string{"python_execute": hostile}},
		runtime.ModelMessage{Turn: 1, Text: hostile},
		runtime.ModelRetry{Reason: hostile},
		runtime.MemoryTrimmed{Before: 2, After: 1, Shortened: 3, Images: 4, Turns: 5, By: "list", Failed: hostile},
		runtime.ToolStarted{Name: hostile, Args: args},
		runtime.ToolStarted{Name: "bash", Args: json.RawMessage(`"{\u001b[2J"`)},
		runtime.ToolCompleted{Name: "bash", Status: "exit_nonzero", ExitCode: &code, Output: hostile},
		runtime.Warning{Text: hostile},
		runtime.PatchReady{Path: "p", Notes: []string{hostile}},
		runtime.RunEnded{Reason: runtime.ReasonGaveUp},
	} {
		p.show(runtime.Event{Data: d})
	}
	for _, r := range out.String() {
		if (r < ' ' && r != '\n' && r != '\t') || (r >= 0x7f && r < 0xa0) {
			t.Fatalf("there is a control character %U in %q", r, out.String())
		}
	}
	assert.Assert(t, strings.Contains(out.String(), "the agent gave up"))
	assert.Assert(t, strings.Contains(out.String(), "3 observation(s) shortened, 4 image(s) taken out, 5 turn(s) replaced by a list; there is no summary: "))
}

func TestQuietShowsOnlyWarnings(t *testing.T) {
	var out strings.Builder
	p := progress{out: &out, quiet: true}
	p.show(runtime.Event{Data: runtime.ModelMessage{Text: "hello"}})
	p.show(runtime.Event{Data: runtime.Warning{Text: "careful"}})
	p.show(runtime.Event{Data: runtime.RunEnded{}})
	assert.Equal(t, out.String(), "warning: careful\n")
}

func TestLongMessagesAndOutputsAreCut(t *testing.T) {
	var out strings.Builder
	p := progress{out: &out, width: 20}
	p.show(runtime.Event{Data: runtime.ModelMessage{Turn: 3, Text: strings.Repeat("line\n", 40)}})
	assert.Equal(t, strings.Count(out.String(), "\n"), 13)
	out.Reset()
	p.show(runtime.Event{Data: runtime.ToolCompleted{Status: "ok", Output: strings.Repeat(strings.Repeat("x", 300)+"\n", 40)}})
	for line := range strings.Lines(out.String()) {
		assert.Assert(t, len([]rune(line)) <= 21, line)
	}
}

func TestColourIsForTerminalsAndForThoseWhoAsk(t *testing.T) {
	for name, tt := range map[string]struct {
		env  map[string]string
		want bool
	}{
		"no terminal": {nil, false},
		"forced":      {map[string]string{"FORCE_COLOR": "1"}, true},
		"forced, too": {map[string]string{"CLICOLOR_FORCE": "1"}, true},
		"refused":     {map[string]string{"FORCE_COLOR": "1", "NO_COLOR": "1"}, false},
		"dumb":        {map[string]string{"FORCE_COLOR": "1", "TERM": "dumb"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got := Streams{Err: &strings.Builder{}}.colour(func(k string) string { return tt.env[k] })
			assert.Equal(t, got, tt.want)
		})
	}
}
