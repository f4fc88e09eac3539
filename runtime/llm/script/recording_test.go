package script_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime/llm"
	"drydock/runtime/llm/script"
)

// answering is a model that answers with what it was made of.
type answering struct {
	answers []llm.Response
	asked   int
	err     error
}

func (a *answering) Complete(context.Context, llm.Request) (llm.Response, error) {
	a.asked++
	if a.err != nil {
		return llm.Response{}, a.err
	}
	next := a.answers[0]
	a.answers = a.answers[1:]
	return next, nil
}

func unchanged(text string) string { return text }

func record(t *testing.T, redact func(string) string) (*script.Recording, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "turns.jsonl")
	rec, err := script.Record(path, redact)
	assert.NilError(t, err)
	return rec, path
}

// pieces are what texts and arguments of the test are made of.
var pieces = []string{
	"a", " ", "\n", "\t", "\x00", "\x7f", "\x1b[2J", "é", "😀", "\u2028", "\u202e", "\ufffd", "\U000e0041", `"`, `\`, `\u0041`,
	"{", "}", "[", "]", ",", ":", "1.0", "1e400", "-0", "null", "<&>", "#", "\r\n", `{"a":1}`, `{ "a" : 1 }`, `{"a":1,"a":2}`, `{"b":"\u00e9<"}`, "{\"c\":\"\u202e\"}",
}

func anyText(r *rand.Rand) string {
	var text strings.Builder
	for range r.IntN(5) {
		text.WriteString(pieces[r.IntN(len(pieces))])
	}
	return text.String()
}

func anyUsage(r *rand.Rand) llm.Usage {
	if r.IntN(2) == 0 {
		return llm.Usage{}
	}
	return llm.Usage{InputTokens: r.IntN(1 << 30), OutputTokens: r.IntN(9), CachedTokens: r.IntN(9)}
}

func anyAnswer(r *rand.Rand) llm.Response {
	answer := llm.Response{
		Message: llm.Message{Role: llm.RoleAssistant, Text: anyText(r)}, Model: "m" + anyText(r),
		Usage: anyUsage(r), Discarded: anyUsage(r),
	}
	for i := range r.IntN(4) {
		answer.Message.ToolCalls = append(answer.Message.ToolCalls, llm.ToolCall{
			ID: fmt.Sprint("id", i, anyText(r)), Name: anyText(r), Arguments: anyText(r),
		})
	}
	reasons := []llm.FinishReason{llm.FinishStop, llm.FinishLength, llm.FinishRefused, llm.FinishToolCalls}
	if len(answer.Message.ToolCalls) == 0 {
		reasons = reasons[:3]
	}
	answer.FinishReason = reasons[r.IntN(len(reasons))]
	return answer
}

// What was recorded plays as the same answers, to the byte.
func TestARecordingPlaysTheSameAnswers(t *testing.T) {
	t.Parallel()
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		var answers []llm.Response
		for range 1 + r.IntN(20) {
			answers = append(answers, anyAnswer(r))
		}
		rec, path := record(t, unchanged)
		model := rec.Of(&answering{answers: answers})
		var told []string
		for _, want := range answers {
			told = append(told, "result "+anyText(r))
			got := play(t, model, assistant("before"), tool(told[len(told)-1]))
			assert.DeepEqual(t, got, want)
		}
		assert.NilError(t, rec.Close())

		raw, err := os.ReadFile(path)
		assert.NilError(t, err)
		assert.Assert(t, !strings.ContainsAny(string(raw), "\x1b\x00\r\x7f\u202e\u2028"), "%q", raw)
		m, err := script.Load(path)
		assert.NilError(t, err)
		for i, turn := range m.Turns() {
			assert.DeepEqual(t, turn.Response, answers[i])
			assert.DeepEqual(t, turn.Observed, []string{told[i]})
			assert.DeepEqual(t, play(t, m), answers[i])
		}
	}
}

func TestReadableArgumentsAreWrittenAsAnObject(t *testing.T) {
	t.Parallel()
	rec, path := record(t, unchanged)
	play(t, rec.Of(&answering{answers: []llm.Response{{Message: llm.Message{ToolCalls: []llm.ToolCall{
		{ID: "1", Name: "bash", Arguments: `{"command":"a && b < c"}`},
		{ID: "2", Name: "bash", Arguments: `{"command": "spaced"}`},
	}}}}}), user("go"))
	assert.NilError(t, rec.Close())
	raw, err := os.ReadFile(path)
	assert.NilError(t, err)
	assert.Equal(t, string(raw), `{"tool_calls":[{"id":"1","name":"bash","arguments":{"command":"a && b < c"}},`+
		`{"id":"2","name":"bash","arguments":"{\"command\": \"spaced\"}"}],"observed":["go"]}`+"\n")
}

func TestARecordingIsThereBeforeTheAnswerIsUsed(t *testing.T) {
	t.Parallel()
	rec, path := record(t, unchanged)
	info, err := os.Stat(path)
	assert.NilError(t, err)
	assert.Equal(t, info.Mode().Perm(), fs.FileMode(0o600))
	model := rec.Of(&answering{answers: []llm.Response{{Message: assistant("one")}, {Message: assistant("two")}}})
	for n := range 2 {
		play(t, model)
		m, err := script.Load(path) // nobody has closed it
		assert.NilError(t, err)
		assert.Equal(t, m.Remaining(), n+1)
	}
}

func TestAFileThatExistsIsNotRecordedOver(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "turns.jsonl")
	assert.NilError(t, os.WriteFile(path, []byte("mine"), 0o600))
	_, err := script.Record(path, unchanged)
	assert.ErrorIs(t, err, fs.ErrExist)
	raw, err := os.ReadFile(path)
	assert.NilError(t, err)
	assert.Equal(t, string(raw), "mine")
}

func TestFailedAnswersAreNotRecorded(t *testing.T) {
	t.Parallel()
	broken := &llm.Error{Kind: llm.KindOverloaded}
	rec, path := record(t, unchanged)
	_, err := rec.Of(&answering{err: broken}).Complete(t.Context(), llm.Request{})
	assert.ErrorIs(t, err, broken)
	assert.NilError(t, rec.Close())
	_, err = os.Stat(path)
	assert.ErrorIs(t, err, os.ErrNotExist, "a recording without a turn is no script")
}

func TestSecretsAreInNoPartOfARecording(t *testing.T) {
	t.Parallel()
	rec, path := record(t, func(text string) string { return strings.ReplaceAll(text, "hush", "[redacted]") })
	answer := llm.Response{Model: "hush", Message: llm.Message{
		Role: llm.RoleAssistant, Text: "hush", ToolCalls: []llm.ToolCall{{ID: "hush", Name: "hush", Arguments: `{"a":"hush"}`}},
	}}
	got := play(t, rec.Of(&answering{answers: []llm.Response{answer}}), user("hush"), tool("hush"))
	assert.DeepEqual(t, got, answer)
	assert.Equal(t, got.Message.ToolCalls[0].Name, "hush", "the run goes on with what was said")
	assert.NilError(t, rec.Close())
	raw, err := os.ReadFile(path)
	assert.NilError(t, err)
	assert.Assert(t, !strings.Contains(string(raw), "hush"), "%s", raw)
	assert.Equal(t, strings.Count(string(raw), "[redacted]"), 7)
}

// An answer that cannot be written is used, and the last; what was written
// before stays a script.
func TestAnAnswerThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	rec, path := record(t, unchanged)
	huge := llm.Response{Message: assistant(strings.Repeat("x", 17<<20))}
	inner := &answering{answers: []llm.Response{{Message: assistant("one")}, huge, {Message: assistant("three")}}}
	model := rec.Of(inner)
	play(t, model)
	assert.Equal(t, len(play(t, model).Message.Text), 17<<20)
	_, err := model.Complete(t.Context(), llm.Request{})
	assert.ErrorContains(t, err, "record answer 2 in "+path+": the turn takes more than 16 MiB")
	assert.Equal(t, inner.asked, 2)
	assert.Assert(t, errors.Is(rec.Close(), err))
	m, err := script.Load(path)
	assert.NilError(t, err)
	assert.Equal(t, m.Remaining(), 1)
}

func TestALineThatWasCut(t *testing.T) {
	t.Parallel()
	const whole = `{"text":"é"}`
	for cut := 1; cut < len(whole); cut++ {
		_, err := script.Parse(strings.NewReader(whole+"\n"+whole[:cut]), "turns.jsonl")
		assert.ErrorContains(t, err, "turns.jsonl:2: the last line is not complete")
	}
	m, err := script.Parse(strings.NewReader(whole+"\n"+whole), "turns.jsonl")
	assert.NilError(t, err)
	assert.Equal(t, m.Remaining(), 2)
}
