package script_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime/llm"
	"drydock/runtime/llm/script"
)

func parse(t *testing.T, text string) *script.Model {
	t.Helper()
	m, err := script.Parse(strings.NewReader(text), "turns.jsonl")
	assert.NilError(t, err)
	return m
}

func play(t *testing.T, m llm.Model, messages ...llm.Message) llm.Response {
	t.Helper()
	resp, err := m.Complete(t.Context(), llm.Request{Messages: messages})
	assert.NilError(t, err)
	return resp
}

func user(text string) llm.Message      { return llm.Message{Role: llm.RoleUser, Text: text} }
func assistant(text string) llm.Message { return llm.Message{Role: llm.RoleAssistant, Text: text} }
func tool(text string) llm.Message      { return llm.Message{Role: llm.RoleTool, Text: text} }

func TestTurnsPlayInOrder(t *testing.T) {
	t.Parallel()
	m := parse(t, "\xef\xbb\xbf"+`# fix the test

{"text":"look","tool_calls":[{"name":"bash","arguments":{ "command": "ls  -l", "n": 1.0 }},{"id":"mine","name":"python_execute","arguments":"{broken"}],"usage":{"input_tokens":10,"output_tokens":2,"cached_tokens":8}}
	{"tool_calls":[{"name":"terminate"}]}`+"\r\n"+`{"text":""}
  # the end
{"text":"cut","finish":"length"}`)
	assert.Equal(t, m.Remaining(), 4)

	assert.DeepEqual(t, play(t, m, user("go")), llm.Response{
		Message: llm.Message{Role: llm.RoleAssistant, Text: "look", ToolCalls: []llm.ToolCall{
			{ID: "call_1_1", Name: "bash", Arguments: `{"command":"ls  -l","n":1.0}`},
			{ID: "mine", Name: "python_execute", Arguments: `{broken`},
		}},
		FinishReason: llm.FinishToolCalls,
		Usage:        llm.Usage{InputTokens: 10, OutputTokens: 2, CachedTokens: 8},
		Model:        "script",
	})
	second := play(t, m, user("go"))
	assert.DeepEqual(t, second.Message.ToolCalls, []llm.ToolCall{{ID: "call_2_1", Name: "terminate", Arguments: "{}"}})
	third := play(t, m, user("go"))
	assert.Equal(t, third.FinishReason, llm.FinishStop)
	assert.Equal(t, play(t, m, user("go")).FinishReason, llm.FinishLength)
	assert.Equal(t, m.Remaining(), 0)

	_, err := m.Complete(t.Context(), llm.Request{Messages: []llm.Message{user("go"), assistant("cut"), tool("exit 1")}})
	var end *script.EndError
	assert.Assert(t, errors.As(err, &end))
	assert.Equal(t, end.Turns, 4)
	assert.ErrorContains(t, err, `turns.jsonl: all 4 turns have been played and the run asks for turn 5, after "exit 1"`)
}

func TestExpectationsLookAtTheLastObservations(t *testing.T) {
	t.Parallel()
	const turns = `{"text":"one","expect":["fix it"]}` + "\n\n" + `{"text":"two","expect":["exit 1","FAILED"]}` + "\n"
	task := user("please fix it")

	m := parse(t, turns)
	play(t, m, task)
	play(t, m, task, assistant("one"), tool("exit 1"), tool("1 FAILED"))

	m = parse(t, turns)
	play(t, m, task)
	// The word is there, but not since the last turn.
	_, err := m.Complete(t.Context(), llm.Request{Messages: []llm.Message{
		task, assistant("zero"), tool("FAILED"), assistant("one"), tool("exit 1\n2 passed"),
	}})
	var unmet *script.ExpectError
	assert.Assert(t, errors.As(err, &unmet))
	assert.DeepEqual(t, unmet, &script.ExpectError{
		Name: "turns.jsonl", Line: 3, Turn: 2, Want: "FAILED", Got: "exit 1\n2 passed",
	})
	assert.Equal(t, err.Error(),
		`turns.jsonl:3: turn 2 expects "FAILED", which is not in the observations before it: "exit 1\n2 passed"`)
	assert.Equal(t, m.Remaining(), 1, "an unmet turn is not used up")
}

func TestAnUnmetExpectationStaysReadable(t *testing.T) {
	t.Parallel()
	m := parse(t, `{"text":"x","expect":["needle"]}`)
	long := "START" + strings.Repeat("é\x00", 100_000) + "END"
	_, err := m.Complete(t.Context(), llm.Request{Messages: []llm.Message{user(long)}})
	assert.ErrorContains(t, err, "START")
	assert.ErrorContains(t, err, "END")
	assert.Assert(t, len(err.Error()) < 2000 && !strings.ContainsAny(err.Error(), "\n\x00"))

	_, err = m.Complete(t.Context(), llm.Request{})
	assert.ErrorContains(t, err, "no observations")
}

func TestACanceledContextPlaysNothing(t *testing.T) {
	t.Parallel()
	m := parse(t, `{"text":"x"}`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := m.Complete(ctx, llm.Request{})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, m.Remaining(), 1)
}

func TestACallerMayChangeWhatItGot(t *testing.T) {
	t.Parallel()
	const n = 50
	m := parse(t, strings.Repeat(`{"tool_calls":[{"name":"a"}]}`+"\n", n))
	ids := make(chan string, n)
	var group sync.WaitGroup
	for range n {
		group.Go(func() {
			resp, err := m.Complete(t.Context(), llm.Request{})
			assert.Check(t, err)
			ids <- resp.Message.ToolCalls[0].ID
			resp.Message.ToolCalls[0].ID = "changed"
		})
	}
	group.Wait()
	close(ids)
	seen := map[string]bool{}
	for id := range ids {
		assert.Assert(t, !seen[id])
		seen[id] = true
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "turns.jsonl")
	_, err := script.Load(path)
	assert.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, path)

	assert.NilError(t, os.WriteFile(path, []byte(`{"text":"x"}`+"\n"), 0o600))
	m, err := script.Load(path)
	assert.NilError(t, err)
	assert.Equal(t, m.Remaining(), 1)

	_, err = script.Load(filepath.Dir(path))
	assert.ErrorContains(t, err, "read script")
}
