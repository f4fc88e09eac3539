package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/tools"
)

// probe is a tool that notes the arguments it was run with.
type probe struct{ ran []json.RawMessage }

func (*probe) Spec() tools.Spec {
	return tools.Spec{Name: "probe", Example: `{"command": "ls", "timeout": 5}`}
}

func (p *probe) Run(_ context.Context, raw json.RawMessage) (tools.Result, error) {
	p.ran = append(p.ran, raw)
	var a struct {
		Command string  `json:"command"`
		Timeout float64 `json:"timeout"`
		Restart bool    `json:"restart"`
	}
	if err := tools.Decode(raw, &a); err != nil {
		return tools.Rejected(err.Error(), p.Spec().Example), nil
	}
	return tools.Result{Status: tools.StatusOK, Text: a.Command + "\n"}, nil
}

func call(t *testing.T, arguments string) (tools.Result, []json.RawMessage) {
	t.Helper()
	p := &probe{}
	registry, err := tools.NewRegistry(p)
	assert.NilError(t, err)
	res, err := registry.Call(t.Context(), "probe", arguments)
	assert.NilError(t, err)
	return res, p.ran
}

func TestRepairedArgumentsAreSaidToBe(t *testing.T) {
	for arguments, want := range map[string][2]string{
		`{'command': 'ls'}`:                        {`ls`, "single quotes"},
		`{'command': 'echo "a" \'b\''}`:            {`echo "a" 'b'`, "single quotes"},
		`{"command": "ls", "restart": True,}`:      {`ls`, "True for true, a comma before a closing bracket"},
		`{"command": "ls",}`:                       {`ls`, "a comma before a closing bracket"},
		`{command: "ls", timeout: 5}`:              {`ls`, "a name without quotes"},
		"{\"command\": \"a\nb\tc\"}":               {"a\nb\tc", "a line break or tab inside a string"},
		"```json\n{\"command\": \"ls\"}\n```":      {`ls`, "a code fence"},
		`"{\"command\": \"ls\"}"`:                  {`ls`, "an object inside a string"},
		"\ufeff{\"command\": \"ls\"}":              {`ls`, "a byte order mark"},
		`{'command': 'printf \'%s\\n\' \u00e9 é'}`: {`printf '%s\n' é é`, "single quotes"},
		`{"command": 'mixed "quotes"'}`:            {`mixed "quotes"`, "single quotes"},
	} {
		res, ran := call(t, arguments)
		assert.Equal(t, res.Status, tools.StatusOK, "%s: %s", arguments, res.Text)
		assert.Equal(t, res.Text, want[0]+"\n", arguments)
		assert.Equal(t, res.Repaired, want[1], arguments)
		assert.Equal(t, len(ran), 1)
		assert.Assert(t, strings.Contains(tools.Render(res, 0), "["+"the arguments were not valid JSON ("+want[1]+")"))
	}
}

// What could be meant in two ways, or may be only a part, is not run.
func TestUnclearArgumentsRunNothing(t *testing.T) {
	for _, arguments := range []string{
		`{"command": "ls"`, `{"command": "ls`, `{"command": `, `{"command"`, `{`, `{'command': 'ls'`, `{'command': 'ls`,
		`{"command": "ls"}}`, `{"command": "ls"} {"command": "rm"}`, `{"command": "ls"} ok`, `ls`, `run {"command": "ls"}`,
		`{"command": "echo "hi""}`, `{'command': 'it's'}`, `{"command": "a" "b"}`, `{"command" "ls"}`, `{"command": "ls" "timeout": 5}`,
		`{"command": "\d"}`, `{'command': '\d'}`, `{'command': '\x41'}`, `{"command": "\'"}`, `{'command': 'a` + "\n" + `b'}`,
		`{"command": ls}`, `{"command": undefined}`, `{"command": +5}`, `{"command": .5}`, `{"command": 5.}`, `{"timeout": 0x10}`,
		`{"timeout": NaN}`, `{,}`, `{"command": "ls",,}`, `{"a": [1,,2]}`, `{"command": "ls"; "timeout": 5}`, `{"command"= "ls"}`,
		"{\"command\": \"\x00\"}", "{\"command\": \"\xff\"}", `{"command": "\ud800"}`, `{'command': '\ud800'}`, `r'x'`, `{'command': r'x'}`,
		`{'command': 'a' 'b'}`, `{"command": """x"""}`, `{"command": "ls" // list` + "\n}", `[{"command": "ls"}]`, `null`, `true`, `5`, `"ls"`, `[]`,
		`"{\"command\": \"ls\"`, "```json\n{\"command\": \"ls\"}", "```json\n{\"command\": \"l\n```",
		strings.Repeat(`{"a":`, 100000), strings.Repeat(`[`, 100000), `{"command": "ls", "command": "rm"}`, `{"Command": "ls"}`,
	} {
		res, ran := call(t, arguments)
		assert.Equal(t, res.Status, tools.StatusRejected, "%.100s ran as %s", arguments, ran)
		assert.Assert(t, strings.Contains(res.Text, `{"command": "ls", "timeout": 5}`), res.Text)
		assert.Assert(t, len(res.Text) < 1000)
	}
}

func TestWrongArgumentsAreNamed(t *testing.T) {
	for arguments, want := range map[string]string{
		`{"command": 5}`:                     "command must be a string, not a number",
		`{"command": null}`:                  "command must be a string, not null; leave it out where it is not needed",
		`{"command": ["ls"]}`:                "command must be a string, not an array",
		`{"command": "ls", "timeout": "5"}`:  "timeout must be a number such as 30, without quotes, not a string",
		`{"command": "ls", "timeout": 1e99}`: "",
		`{"command": "ls", "restart": 1}`:    "restart must be true or false, without quotes, not a number",
		`{"command": "ls", "cwd": "/"}`:      `there is no argument named "cwd"; the arguments are command, timeout, restart`,
		`{"command": "a", "command": "b"}`:   `"command" is given twice`,
		`{"command": "\udc00"}`:              "half of a surrogate pair",
		`{"command": "ls`:                    "the arguments are cut off: the JSON object has no end",
		`{"command": ls}`:                    "the arguments are not valid JSON: invalid character 'l'",
		`[1]`:                                "the arguments must be one JSON object, not an array",
		`null`:                               "the arguments must be one JSON object, not null",
		`{"timeout": 1e999}`:                 "timeout is out of range",
	} {
		res, _ := call(t, arguments)
		if want == "" {
			assert.Equal(t, res.Status, tools.StatusOK, arguments)
			continue
		}
		assert.Equal(t, res.Status, tools.StatusRejected, arguments)
		assert.Assert(t, strings.Contains(res.Text, want), "%s\n%s", arguments, res.Text)
	}
}

// A tool gets the very bytes the model wrote, wherever these are JSON.
func TestRightArgumentsAreNotTouched(t *testing.T) {
	const arguments = `{"command" : "a\u00e9\/b", "timeout": 5e0}`
	res, ran := call(t, "\n"+arguments+" ")
	assert.Equal(t, res.Status, tools.StatusOK)
	assert.Equal(t, res.Repaired, "")
	assert.Equal(t, string(ran[0]), arguments)
	_, ran = call(t, "")
	assert.Equal(t, string(ran[0]), "{}")
}
