package tools_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"gotest.tools/v3/assert"

	"drydock/tools"
)

// FuzzArguments gives a tool any text for arguments. JSON must reach it byte by
// byte; anything else only as an object all of whose strings, names and numbers
// stand in the text, and never when a part of the text could be missing.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		`{"command": "ls", "timeout": 5}`, `{'command': 'echo "a" \'b\'', "restart": True,}`, "```json\n{\"command\": \"a\nb\"}\n```",
		`"{\"command\": \"ls\"}"`, `{command: [1, {x: None},], 'y': -0.5e+3}`, `{"a": "\ud83d\ude00\u00e9\/"}`, `[{"command"`, "\ufeff{}", `{"a":"b"}x`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		res, ran := call(t, string(text))
		assert.Assert(t, res.Status == tools.StatusOK || res.Status == tools.StatusRejected)
		shown := tools.Render(res, 0)
		assert.Assert(t, utf8.ValidString(shown) || !utf8.Valid(text), "%q", shown)
		if len(ran) == 0 {
			assert.Equal(t, res.Status, tools.StatusRejected)
			return
		}
		trimmed := bytes.TrimSpace(text)
		if res.Repaired == "" {
			assert.Assert(t, string(ran[0]) == string(trimmed) || len(trimmed) == 0 && string(ran[0]) == "{}")
			return
		}
		var object map[string]any
		assert.NilError(t, json.Unmarshal(ran[0], &object))
		assertFound(t, string(trimmed), object)
		for _, cut := range []int{1, 2, 3, len(trimmed) / 2} {
			if cut > 0 && cut < len(trimmed) {
				_, ran := call(t, string(trimmed[:len(trimmed)-cut]))
				assert.Assert(t, len(ran) == 0 || bytes.HasPrefix(trimmed, []byte("```")), "%q ran without its last %d bytes", trimmed, cut)
			}
		}
	})
}

// assertFound checks that text has in it what a value is made of. Strings with
// an escape are not looked for.
func assertFound(t *testing.T, text string, value any) {
	t.Helper()
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			assertFound(t, text, name)
			assertFound(t, text, inner)
		}
	case []any:
		for _, inner := range v {
			assertFound(t, text, inner)
		}
	case string:
		if !strings.Contains(text, `\`) && utf8.ValidString(text) {
			assert.Assert(t, strings.Contains(text, v), "%q is not in %q", v, text)
		}
	}
}

// FuzzDecode expects a sentence or a struct for any text.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"command": "ls", "timeout": 1e400, "restart": null}`))
	f.Add([]byte(`{"command": "\ud800", "command": ""}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var a struct {
			Command string  `json:"command"`
			Timeout float64 `json:"timeout"`
			Restart bool    `json:"restart"`
		}
		err := tools.Decode(raw, &a)
		if err != nil {
			assert.Assert(t, len(err.Error()) > 10 && len(err.Error()) < 500 && utf8.ValidString(err.Error()), "%q", err)
			return
		}
		var plain map[string]any
		assert.NilError(t, json.Unmarshal(raw, &plain))
		for name := range plain {
			assert.Assert(t, name == "command" || name == "timeout" || name == "restart", name)
		}
		if text, ok := plain["command"]; ok {
			assert.Equal(t, a.Command, text)
		}
	})
}

// FuzzRender prints any bytes, kept whole or in two parts, under any limit.
func FuzzRender(f *testing.F) {
	f.Add([]byte("a\x1b[31mred\x1b[0m\r\n\x9b31m\xff\x00"), []byte("\x9f\x9e\u202etail"), int64(7), 10)
	f.Add([]byte("日本\x1b]0;title"), []byte("\x07語"), int64(0), 0)
	f.Fuzz(func(t *testing.T, head, tail []byte, dropped int64, limit int) {
		if dropped <= 0 {
			dropped, tail = 0, nil
		}
		total := int64(len(head)+len(tail)) + min(dropped, 1<<40)
		res := tools.Result{Status: tools.StatusOK, Program: &tools.Program{Head: head, Tail: tail, Dropped: min(dropped, 1<<40), Total: total}}
		shown := tools.Render(res, limit)
		harmless(t, shown)
		if limit > 0 {
			assert.Assert(t, len(shown) <= limit+200, "%d bytes under a limit of %d", len(shown), limit)
		}
		if dropped == 0 && limit <= 0 && tools.ShownExactly(res, limit) && len(head) > 0 {
			assert.Assert(t, strings.HasPrefix(shown, string(head)))
		}
	})
}

// FuzzClean expects text that steers nothing, and the same text again from it.
func FuzzClean(f *testing.F) {
	for _, seed := range []string{"\x1b\x1b[[31mm", "\x1bP\x1b\\x", "\u009b31m", "\x90\x9c", "a\r\r\nb", "\x1b]8;;http://x\x07y", "\xf0\x9f", "\u2066\u202e"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		text := tools.Clean(raw)
		harmless(t, text)
		assert.Equal(t, tools.Clean([]byte(text)), text)
		if utf8.Valid(raw) && bytes.IndexFunc(raw, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' || r >= 0x202a && r < 0x2070 }) < 0 {
			assert.Equal(t, text, string(raw))
		}
	})
}

func harmless(t *testing.T, text string) {
	t.Helper()
	assert.Assert(t, utf8.ValidString(text), "%q", text)
	bad := strings.IndexFunc(text, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\t' || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
	})
	assert.Assert(t, bad < 0, "%q", text)
}
