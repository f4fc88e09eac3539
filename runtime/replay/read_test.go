package replay_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime"
	"drydock/runtime/llm"
	"drydock/runtime/replay"
)

// recorded makes a run's directory with these events, as a run writes them.
func recorded(t *testing.T, events ...runtime.Payload) runtime.RunDir {
	t.Helper()
	dir, err := runtime.CreateRunDir(t.TempDir(), "", "20260102-150405-abcdef")
	assert.NilError(t, err)
	log, err := dir.CreateEvents()
	assert.NilError(t, err)
	r := runtime.NewRecorder(dir.ID, log)
	for _, e := range events {
		r.Emit(e)
	}
	assert.NilError(t, r.Err())
	assert.NilError(t, log.Close())
	return dir
}

func find(t *testing.T, dir runtime.RunDir) *replay.Run {
	t.Helper()
	run, path, err := replay.Find(filepath.Dir(dir.Path), dir.ID[:8])
	assert.NilError(t, err)
	assert.Equal(t, path, dir.Path)
	return run
}

func answer(turn int, ids ...string) runtime.ModelMessage {
	m := runtime.ModelMessage{Turn: turn, FinishReason: llm.FinishToolCalls, Model: "m"}
	for _, id := range ids {
		m.ToolCalls = append(m.ToolCalls, llm.ToolCall{ID: id, Name: "bash", Arguments: "{}"})
	}
	return m
}

func result(id, output string) runtime.ToolCompleted {
	zero := 0
	return runtime.ToolCompleted{ID: id, Name: "bash", Status: "ok", ExitCode: &zero, Output: output}
}

var (
	started = runtime.RunStarted{Task: "Do it.", Agent: "swe", Settings: map[string]string{"run.agent": "swe"}}
	done    = runtime.RunEnded{OK: true, Reason: runtime.ReasonDone}
)

// A log gives back the answers to the byte.
func TestTheAnswersOfALogAreExact(t *testing.T) {
	t.Parallel()
	want := llm.Response{
		Message: llm.Message{Role: llm.RoleAssistant, Text: "é<&>\x1b\u202e\u2028", ToolCalls: []llm.ToolCall{
			{ID: "a", Name: "bash", Arguments: `{ "command" : "x<y", "command": 1.0}`},
			{ID: "b", Name: "no\nname", Arguments: "{\"cut\": \"\x00\u202e"},
			{ID: "c", Name: "", Arguments: ""},
		}},
		FinishReason: llm.FinishLength, Model: "m-1",
		Usage: llm.Usage{InputTokens: 10, OutputTokens: 2, CachedTokens: 8}, Discarded: llm.Usage{InputTokens: 7, OutputTokens: 1},
	}
	run := find(t, recorded(t, started, runtime.ModelMessage{
		Text: want.Message.Text, ToolCalls: want.Message.ToolCalls, FinishReason: want.FinishReason, Model: want.Model,
		Usage: want.Billed(), Discarded: want.Discarded,
	}, done))
	assert.Equal(t, run.Task, "Do it.")
	got, err := run.Model().Complete(t.Context(), llm.Request{})
	assert.NilError(t, err)
	assert.DeepEqual(t, got, want)
}

func TestARunThatGoesOnIsNotReplayed(t *testing.T) {
	t.Parallel()
	dir, err := runtime.CreateRunDir(t.TempDir(), "", "live")
	assert.NilError(t, err)
	log, err := dir.CreateEvents()
	assert.NilError(t, err)
	r := runtime.NewRecorder(dir.ID, log)
	r.Emit(started)
	r.Emit(answer(1))
	_, _, err = replay.Find("", dir.Path)
	assert.ErrorIs(t, err, replay.ErrLive)

	// Once it was killed, it is.
	assert.NilError(t, log.Close())
	run, _, err := replay.Find("", dir.Path)
	assert.NilError(t, err)
	assert.DeepEqual(t, run.Notes, []string{"the record has no end: the run was killed"})
}

// A kill or a full disk cuts the last line, and nothing else.
func TestALogThatIsCut(t *testing.T) {
	t.Parallel()
	dir := recorded(t, started, answer(1, "a"), result("a", "x"), answer(2), done)
	raw, err := os.ReadFile(dir.File(runtime.EventsFile))
	assert.NilError(t, err)
	lines := strings.SplitAfter(string(raw), "\n")
	write := func(text string) {
		assert.NilError(t, os.WriteFile(dir.File(runtime.EventsFile), []byte(text), 0o600))
	}
	write(strings.Join(lines[:3], "") + lines[3][:len(lines[3])/2])
	run := find(t, dir)
	assert.Equal(t, len(run.Turns), 1)
	assert.Equal(t, len(run.Turns[0].Results), 1)
	assert.Equal(t, len(run.Notes), 1)

	write(lines[0] + lines[1][:20] + "\n" + lines[2])
	_, _, err = replay.Find("", dir.Path)
	assert.ErrorContains(t, err, "events.jsonl:2: the line is not an event")
}

func TestWhatIsNoRecord(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"empty":         {"", "the script has no turns"},
		"no start":      {`{"v":1,"type":"turn.started"}`, ":1: the log of a run begins with run.started"},
		"wrong types":   {`{"v":1,"type":"run.started","task":3}`, ":1: run.started: json"},
		"early call":    {`{"v":1,"type":"run.started"}` + "\n" + `{"v":1,"type":"tool.completed"}`, ":2: tool.completed: a call before any answer"},
		"other version": {`{"v":7,"type":"run.started"}`, "has version 7"},
		"too long":      {`{"v":1,"type":"run.started"}` + "\n" + strings.Repeat("x", 65<<20), ":2: the line is longer than 64 MiB"},
		"an image":      {"\x89PNG\r\n\x1a\n", ":1: the line is not valid UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "file")
			assert.NilError(t, os.WriteFile(path, []byte(tt.text), 0o600))
			_, _, err := replay.Find("", path)
			assert.ErrorContains(t, err, tt.want)
			assert.Assert(t, len(err.Error()) < 500, "%s", err)
		})
	}
	_, _, err := replay.Find(t.TempDir(), "nosuch")
	assert.ErrorIs(t, err, runtime.ErrNoRun)
}
