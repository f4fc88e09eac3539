package script_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"gotest.tools/v3/assert"

	"drydock/runtime/llm/script"
)

func TestBadScripts(t *testing.T) {
	t.Parallel()
	call := func(fields string) string { return `{"tool_calls":[{` + fields + `}]}` }
	tests := map[string]struct{ text, want string }{
		"empty":               {"", "turns.jsonl: the script has no turns"},
		"only comments":       {"# a\n\n  # b\n", "turns.jsonl: the script has no turns"},
		"not JSON":            {"# a\n\nhello\n", "turns.jsonl:3: turn: not a JSON object on one line: invalid character 'h'"},
		"more than one line":  {"{\"text\":\"x\"}\n{\n\"text\":\"y\"}\n", "turns.jsonl:2: turn: not a JSON object on one line: unexpected end of JSON input"},
		"two on a line":       {`{"text":"x"} {"text":"y"}`, "turns.jsonl:1: turn: not a JSON object on one line: invalid character '{'"},
		"a list":              {`[1]`, "turns.jsonl:1: turn: a JSON object is needed, not array"},
		"a text":              {`"x"`, "a JSON object is needed, not string"},
		"null":                {`null`, "a JSON object is needed, not null"},
		"no content":          {`{"usage":{}}`, `turns.jsonl:1: a turn needs "text" or "tool_calls"`},
		"no calls":            {`{"tool_calls":[]}`, `a turn needs "text" or "tool_calls"`},
		"unknown key":         {`{"text":"x","tool_call":[]}`, `turn: unknown key "tool_call"; the keys are text, tool_calls, finish, usage, discarded, model, expect, observed`},
		"key in capitals":     {`{"Text":"x"}`, `unknown key "Text"`},
		"text is a number":    {`{"text":3}`, `turn: "text" has the wrong type: number`},
		"expect is a text":    {`{"text":"x","expect":"y"}`, `"expect" has the wrong type: string`},
		"expect is empty":     {`{"text":"x","expect":["a",""]}`, `"expect" holds an empty text`},
		"calls are an object": {`{"tool_calls":{}}`, `"tool_calls" has the wrong type: object`},
		"call is a text":      {`{"tool_calls":["bash"]}`, "tool call 1: a JSON object is needed, not string"},
		"call without name":   {call(`"arguments":{}`), `tool call 1 needs a "name"`},
		"unknown call key":    {call(`"name":"a","args":{}`), `tool call 1: unknown key "args"; the keys are id, name, arguments`},
		"arguments a list":    {call(`"name":"a","arguments":[]`), `tool call 1: "arguments" must be an object, or a string`},
		"arguments null":      {call(`"name":"a","arguments":null`), `"arguments" must be an object`},
		"same id twice":       {`{"tool_calls":[{"id":"i","name":"a"},{"id":"i","name":"b"}]}`, `tool call 2: the id "i" is taken`},
		"a generated id":      {`{"tool_calls":[{"id":"call_1_2","name":"a"},{"name":"b"}]}`, `tool call 2: the id "call_1_2" is taken`},
		"unknown finish":      {`{"text":"x","finish":"eos"}`, `"finish" is "eos"; it must be stop, tool_calls, length or refused`},
		"finish without":      {`{"text":"x","finish":"tool_calls"}`, `"finish" is tool_calls, but the turn has none`},
		"unknown usage key":   {`{"text":"x","usage":{"tokens":1}}`, `usage: unknown key "tokens"; the keys are input_tokens, output_tokens, cached_tokens`},
		"usage is a number":   {`{"text":"x","usage":5}`, "usage: a JSON object is needed, not number"},
		"negative usage":      {`{"text":"x","usage":{"input_tokens":-1}}`, "must not be negative"},
		"half a token":        {`{"text":"x","usage":{"input_tokens":1.5}}`, `usage: "input_tokens" has the wrong type: number 1.5`},
		"not UTF-8":           {"{\"text\":\"\xff\"}", "turns.jsonl:1: the line is not valid UTF-8"},
		"too long":            {"# a\n{\"text\":\"" + strings.Repeat("x", 17<<20) + "\"}", "turns.jsonl:2: the line is longer than 16 MiB"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := script.Parse(strings.NewReader(tt.text), "turns.jsonl")
			assert.ErrorContains(t, err, tt.want)
			assert.Assert(t, strings.HasPrefix(err.Error(), "turns.jsonl"), err.Error())
			assert.Assert(t, !strings.Contains(err.Error(), "\n"))
		})
	}
}

func TestAReaderThatFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk on fire")
	_, err := script.Parse(iotest.ErrReader(broken), "turns.jsonl")
	assert.ErrorIs(t, err, broken)
	assert.ErrorContains(t, err, "turns.jsonl")
}

// The example of the documentation must be a script that loads.
func TestTheDocumentedExampleLoads(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "script-model.md"))
	assert.NilError(t, err)
	_, rest, found := strings.Cut(string(page), "```jsonl\n")
	assert.Assert(t, found)
	example, _, found := strings.Cut(rest, "```")
	assert.Assert(t, found)
	m, err := script.Parse(strings.NewReader(example), "script-model.md")
	assert.NilError(t, err)
	assert.Equal(t, m.Remaining(), 4)
}

func FuzzParse(f *testing.F) {
	f.Add(`{"text":"x","tool_calls":[{"name":"a","arguments":{"b":1}}],"expect":["y"]}`)
	f.Add("# c\n{\"tool_calls\":[{\"name\":\"\",\"arguments\":\"{\"}],\"finish\":\"length\"}")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := script.Parse(strings.NewReader(text), "f")
		if err == nil && m.Remaining() == 0 {
			t.Fatal("a script without turns was accepted")
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Fatalf("an error of more than one line: %q", err)
		}
	})
}
