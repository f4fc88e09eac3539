package editor_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"gotest.tools/v3/assert"

	"drydock/tools/editor"
)

// FuzzReplace compares with a plain splice of bytes: what stands before and
// after the match must be the same bytes, the match must be old_str up to the
// spelling of line ends, and undo must give back the file.
func FuzzReplace(f *testing.F) {
	f.Add([]byte("a\r\nb\nc"), "a\nb", "x\ny\n")
	f.Add([]byte("\xef\xbb\xbf\tk\xe9\x00\n"), "k", "→")
	f.Add([]byte("a\r\nb\r\n"), "\nb", "")
	f.Add([]byte("a\r\nb\r\n"), "b\r\n", "b\n")
	f.Add([]byte("one\r\ntwo\nthree\r\n"), "one\ntwo\nthree", "one\n2\n3\n4\nthree")
	f.Fuzz(func(t *testing.T, data []byte, old, text string) {
		files := newMemory(map[string]string{"/workspace/f": string(data)})
		ed := editor.New(files, editor.Options{})
		answer := run(t, ed, replaceArgs("f", old, text))
		assert.Assert(t, utf8.ValidString(answer.Text) && !strings.ContainsAny(answer.Text, "\x00\x1b\r"), "%q", answer.Text)
		got := files.content("/workspace/f")
		if answer.Status != editor.StatusOK {
			assert.Equal(t, got, string(data), "a refused edit must change nothing")
			first, last := bytes.Index(data, []byte(old)), bytes.LastIndex(data, []byte(old))
			assert.Assert(t, old == "" || old == text || first < 0 || first != last || strings.Contains(old, "\n"),
				"a unique match was refused: %s", answer.Text)
			return
		}
		assert.Assert(t, isSplice(string(data), got, old, text), "%q became %q", data, got)
		runOK(t, ed, undoArgs("f"))
		assert.Equal(t, files.content("/workspace/f"), string(data))
	})
}

// isSplice reports whether after is before with one occurrence of old replaced
// by text, each in any spelling of its line ends.
func isSplice(before, after, old, text string) bool {
	unix := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
	for start := 0; start <= len(before); start++ {
		if !strings.HasPrefix(after, before[:start]) {
			return false
		}
		longest := min(start+2*len(old), len(before))
		for end := start + len(strings.ReplaceAll(old, "\r", "")); end <= longest; end++ {
			tail := before[end:]
			if (before[start:end] == old || unix(before[start:end]) == old) && strings.HasSuffix(after[start:], tail) &&
				unix(strings.TrimSuffix(after[start:], tail)) == unix(text) {
				return true
			}
		}
	}
	return false
}

// FuzzUndo takes back a few edits of all kinds and expects the very bytes.
func FuzzUndo(f *testing.F) {
	f.Add([]byte("a\nb"), "new", "a", "c\n", uint8(1))
	f.Add([]byte("\xef\xbb\xbfa\r\n\xff\x00"), "", "a\r\n", "\n", uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, whole, old, text string, line uint8) {
		files := newMemory(map[string]string{"/workspace/f": string(data)})
		ed := editor.New(files, editor.Options{})
		states := []string{string(data)}
		for _, args := range []editor.Args{
			replaceArgs("f", old, text), insertArgs("f", int(line), text), createArgs("f", whole),
			insertArgs("f", 0, old), replaceArgs("f", text, whole),
		} {
			if run(t, ed, args).Status == editor.StatusOK {
				states = append(states, files.content("/workspace/f"))
			}
		}
		for i := len(states) - 2; i >= 0; i-- {
			runOK(t, ed, undoArgs("f"))
			assert.Equal(t, files.content("/workspace/f"), states[i])
		}
		assert.Equal(t, run(t, ed, undoArgs("f")).Status, editor.StatusToolError)
	})
}

// FuzzDecode expects a sentence or usable arguments for any text.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"command": "insert", "path": "f", "insert_line": 1e0, "new_str": "\ud83d\ude00"}`))
	f.Add([]byte(`{"command": "view", "path": "f", "view_range": [1, -1]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		args, err := editor.Decode(raw)
		if err != nil {
			assert.Assert(t, len(err.Error()) > 10 && len(err.Error()) < 500 && strings.HasSuffix(err.Error(), "."), err.Error())
			return
		}
		ed := editor.New(newMemory(nil), editor.Options{})
		assert.Assert(t, run(t, ed, args).Status != editor.StatusRejected)
	})
}
