package openai_test

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/internal/fakellm"
	"drydock/runtime/llm"
)

// Servers cut tool calls in many ways; each row is the parts of one answer.
func TestToolCallsInPieces(t *testing.T) {
	t.Parallel()
	one := []string{`bash {"command": "ls -l"}`}
	two := []string{`bash {"a": 1}`, `python {"b": 2}`}
	tests := map[string]struct {
		parts []string // entries of tool_calls, one in each event; | puts several in one
		want  []string
	}{
		"at once":   {[]string{`{"index":0,"id":"x","type":"function","function":{"name":"bash","arguments":"{\"command\": \"ls -l\"}"}}`}, one},
		"in pieces": {[]string{`{"index":0,"id":"x","function":{"name":"bash","arguments":""}}`, `{"index":0,"function":{"arguments":"{\"comm"}}`, `{"index":0,"function":{"arguments":"and\": \"ls -l\"}"}}`}, one},
		"id repeated": {
			[]string{`{"index":0,"id":"x","function":{"name":"bash","arguments":"{\"command\""}}`, `{"index":0,"id":"x","function":{"arguments":": \"ls -l\"}"}}`},
			one,
		},
		"name repeated": {
			[]string{`{"index":0,"id":"x","function":{"name":"bash","arguments":"{\"command\""}}`, `{"index":0,"id":"x","function":{"name":"bash","arguments":": \"ls -l\"}"}}`},
			one,
		},
		"name repeated before the arguments": {
			[]string{`{"index":0,"id":"x","function":{"name":"bash","arguments":""}}`, `{"index":0,"id":"x","function":{"name":"bash","arguments":"{\"command\": \"ls -l\"}"}}`},
			one,
		},
		"name in pieces": {
			[]string{`{"index":0,"id":"x","function":{"name":"ba"}}`, `{"index":0,"function":{"name":"sh"}}`, `{"index":0,"function":{"arguments":"{\"command\": \"ls -l\"}"}}`},
			one,
		},
		"id after the name": {
			[]string{`{"index":0,"function":{"name":"bash"}}`, `{"index":0,"id":"x","function":{"arguments":"{\"command\": \"ls -l\"}"}}`},
			one,
		},
		"no index": {[]string{`{"id":"x","function":{"name":"bash","arguments":"{\"command\""}}`, `{"function":{"arguments":": \"ls -l\"}"}}`}, one},
		"no index, id repeated": {
			[]string{`{"id":"x","function":{"name":"bash","arguments":"{\"command\""}}`, `{"id":"x","function":{"arguments":": \"ls -l\"}"}}`},
			one,
		},
		"no index, no id": {[]string{`{"function":{"name":"bash","arguments":"{\"command\""}}`, `{"function":{"arguments":": \"ls -l\"}"}}`}, one},
		"no id":           {[]string{`{"index":0,"function":{"name":"bash","arguments":"{\"command\": \"ls -l\"}"}}`}, one},
		"id is null":      {[]string{`{"index":0,"id":null,"function":{"name":"bash","arguments":null}}`, `{"index":0,"id":null,"function":{"name":null,"arguments":"{\"command\": \"ls -l\"}"}}`}, one},
		"as an object":    {[]string{`{"index":0,"id":"x","function":{"name":"bash","arguments":{"command": "ls -l"}}}`}, one},

		"two, one after the other": {
			[]string{`{"index":0,"id":"x","function":{"name":"bash","arguments":"{\"a\""}}`, `{"index":0,"function":{"arguments":": 1}"}}`, `{"index":1,"id":"y","function":{"name":"python","arguments":"{\"b\": 2}"}}`},
			two,
		},
		"two, mixed": {
			[]string{`{"index":0,"id":"x","function":{"name":"bash","arguments":"{\"a\""}}`, `{"index":1,"id":"y","function":{"name":"python","arguments":"{\"b\""}}`, `{"index":0,"function":{"arguments":": 1}"}}`, `{"index":1,"function":{"arguments":": 2}"}}`},
			two,
		},
		"two in one event": {[]string{`{"index":0,"id":"x","function":{"name":"bash","arguments":"{\"a\": 1}"}}|{"index":1,"id":"y","function":{"name":"python","arguments":"{\"b\": 2}"}}`}, two},
		"two under one index": {
			[]string{`{"index":0,"id":"x","function":{"name":"bash","arguments":"{\"a\": 1}"}}`, `{"index":0,"id":"y","function":{"name":"python","arguments":"{\"b\": 2}"}}`},
			two,
		},
		"two without an index": {
			[]string{`{"id":"x","function":{"name":"bash","arguments":"{\"a\": 1}"}}`, `{"id":"y","function":{"name":"python","arguments":"{\"b\""}}`, `{"function":{"arguments":": 2}"}}`},
			two,
		},
		"two with neither":            {[]string{`{"function":{"name":"bash","arguments":"{\"a\": 1}"}}`, `{"function":{"name":"python","arguments":"{\"b\": 2}"}}`}, two},
		"two with one id":             {[]string{`{"id":"0","function":{"name":"bash","arguments":"{\"a\": 1}"}}`, `{"id":"0","function":{"name":"python","arguments":"{\"b\": 2}"}}`}, two},
		"an index that begins with 1": {[]string{`{"index":1,"id":"x","function":{"name":"bash","arguments":"{\"a\": 1}"}}`, `{"index":2,"id":"y","function":{"name":"python","arguments":"{\"b\": 2}"}}`}, two},
		"twice the same call":         {[]string{`{"index":0,"id":"x","function":{"name":"bash","arguments":"{}"}}`, `{"index":1,"id":"x","function":{"name":"bash","arguments":"{}"}}`}, []string{"bash {}", "bash {}"}},
		"arguments that are not JSON": {[]string{`{"index":0,"id":"x","function":{"name":"bash","arguments":"ls"}}`}, []string{"bash ls"}},
		"no arguments":                {[]string{`{"index":0,"id":"x","function":{"name":"bash"}}`}, []string{"bash "}},
		"an empty part at the end":    {[]string{`{"index":0,"id":"x","function":{"name":"bash","arguments":"{}"}}`, `{"index":0,"id":"","function":{"name":"","arguments":""}}`}, []string{"bash {}"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var events []string
			for _, part := range tt.parts {
				events = append(events, fmt.Sprintf(`{"choices":[{"index":0,"delta":{"tool_calls":[%s]}}]}`, strings.ReplaceAll(part, "|", ",")))
			}
			events = append(events, `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`)
			model, _ := connect(t, fakellm.New(t, fakellm.Events(events...)))
			resp, err := model.Complete(t.Context(), ask("hi"))
			assert.NilError(t, err)
			assert.Equal(t, resp.FinishReason, llm.FinishToolCalls)
			var got []string
			ids := map[string]bool{}
			for _, call := range resp.Message.ToolCalls {
				got = append(got, call.Name+" "+call.Arguments)
				ids[call.ID] = true
			}
			assert.DeepEqual(t, got, tt.want)
			assert.Equal(t, len(ids), len(got), "each call has an id of its own")
			assert.Assert(t, !ids[""])
		})
	}
}

// However the server cuts it, the answer is the same as in one piece.
func TestStreamedAnswersEqualWholeOnes(t *testing.T) {
	t.Parallel()
	answer := fakellm.TextCalls("Grüße, 世界 🙂\n", fakellm.Call{ID: "a", Name: "bash", Arguments: `{"command": "echo é"}`},
		fakellm.Call{ID: "b", Name: "python", Arguments: `{}`}).WithUsage(5, 6)
	var want llm.Response
	for i, turn := range []fakellm.Turn{answer, answer.WithDeltas(1), answer.WithDeltas(3).WithPieces(1), answer.WithPieces(5)} {
		model, _ := connect(t, fakellm.New(t, turn))
		resp, err := model.Complete(t.Context(), ask("hi"))
		assert.NilError(t, err)
		if i == 0 {
			want = resp
		}
		assert.DeepEqual(t, resp, want)
	}
	assert.Equal(t, want.Message.Text, "Grüße, 世界 🙂\n")
	assert.Equal(t, want.Message.ToolCalls[0].Arguments, `{"command": "echo é"}`)
}
