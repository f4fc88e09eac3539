package editor_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/tools/editor"
)

// FuzzSequence does any sequence of edits, undos and changes from outside on
// two files, beside a model that knows only splices of bytes: an edit that was
// done is a splice, one that was refused changed nothing, and an undo gives back
// the very bytes or, where something else has changed the file, nothing.
func FuzzSequence(f *testing.F) {
	f.Add([]byte("a\r\nb\nc"), []byte("\x01\x02\x05xy\n\x02\x01\x03new\x03\x00\x04gone\x03"))
	f.Add([]byte("\xef\xbb\xbfone\r\ntwo"), []byte("\x02\x02\x03end\x03\x04\x02\x00\x03top\x03\x03"))
	f.Add([]byte("\xff\x00caf\xe9\n"), []byte("\x00\x03\xe2\x86\x92\x08\x05hello\x05\x03zap\x03\x0b"))
	f.Fuzz(func(t *testing.T, data, script []byte) {
		s := &sequence{t: t, script: script, files: newMemory(map[string]string{"/workspace/a": string(data)})}
		s.ed = editor.New(s.files, editor.Options{})
		for steps := 0; len(s.script) > 0 && steps < 40; steps++ {
			s.step()
		}
	})
}

// sequence plays a script, whose bytes say what is done and with what.
type sequence struct {
	t      *testing.T
	script []byte
	files  *memoryFiles
	ed     *editor.Editor
	past   [2][]past
}

// past is an edit as the model remembers it.
type past struct {
	before, after string
	existed       bool
}

var names = [2]string{"/workspace/a", "/workspace/b"}

func (s *sequence) byte() byte {
	if len(s.script) == 0 {
		return 0
	}
	b := s.script[0]
	s.script = s.script[1:]
	return b
}

// text takes a short text out of the script, as JSON could hold it.
func (s *sequence) text() string {
	n := min(int(s.byte()%16), len(s.script))
	text := string(s.script[:n])
	s.script = s.script[n:]
	return strings.ToValidUTF8(text, "é")
}

// part takes a part of a content, so that there is something to find.
func (s *sequence) part(content string) string {
	if content == "" {
		return s.text()
	}
	from := int(s.byte()) % len(content)
	return strings.ToValidUTF8(content[from:min(len(content), from+int(s.byte()%8))], "")
}

func (s *sequence) state(i int) (string, bool) {
	s.files.mu.Lock()
	defer s.files.mu.Unlock()
	data, ok := s.files.files[names[i]]
	return string(data), ok
}

func (s *sequence) step() {
	op := s.byte()
	i := int(op >> 3 & 1)
	before, existed := s.state(i)
	switch op % 6 {
	case 0:
		s.edit(i, createArgs(names[i], s.text()), before, existed)
	case 1:
		s.edit(i, replaceArgs(names[i], s.part(before), s.text()), before, existed)
	case 2:
		s.edit(i, insertArgs(names[i], int(s.byte()%8), s.text()), before, existed)
	case 3, 4:
		s.undo(i, before, existed)
	case 5:
		s.outside(i)
	}
}

// outside changes a file, or removes it, as another program would.
func (s *sequence) outside(i int) {
	text := s.text()
	s.files.mu.Lock()
	defer s.files.mu.Unlock()
	if text == "" {
		delete(s.files.files, names[i])
		return
	}
	s.files.files[names[i]] = []byte(text)
}

func (s *sequence) edit(i int, args editor.Args, before string, existed bool) {
	answer := run(s.t, s.ed, args)
	after, exists := s.state(i)
	if answer.Status != editor.StatusOK {
		assert.Equal(s.t, after, before, answer.Text)
		assert.Equal(s.t, exists, existed)
		if args.Command == editor.CommandReplace && existed {
			s.refused(args, before, answer)
		}
		return
	}
	assert.Assert(s.t, exists)
	switch args.Command {
	case editor.CommandCreate:
		assert.Equal(s.t, after, *args.FileText)
	case editor.CommandReplace:
		assert.Assert(s.t, isSplice(before, after, *args.OldStr, *args.NewStr), "%q became %q", before, after)
	case editor.CommandInsert:
		assert.Assert(s.t, isInsert(before, after, *args.InsertLine, *args.NewStr), "%q became %q", before, after)
	}
	s.past[i] = append(s.past[i], past{before, after, existed})
}

// refused checks that what is clear was not refused.
func (s *sequence) refused(args editor.Args, before string, answer editor.Answer) {
	old, text := *args.OldStr, *args.NewStr
	clear := old != "" && old != text && !strings.ContainsAny(old+text, "\r\n") && strings.Contains(before, old) &&
		strings.Index(before, old) == strings.LastIndex(before, old)
	assert.Assert(s.t, !clear, "%q is once in %q: %s", old, before, answer.Text)
}

func (s *sequence) undo(i int, before string, existed bool) {
	answer := run(s.t, s.ed, undoArgs(names[i]))
	after, exists := s.state(i)
	n := len(s.past[i]) - 1
	if n < 0 || !existed || before != s.past[i][n].after {
		assert.Equal(s.t, answer.Status, editor.StatusToolError, answer.Text)
		assert.Equal(s.t, after, before)
		assert.Equal(s.t, exists, existed)
		return
	}
	last := s.past[i][n]
	assert.Equal(s.t, answer.Status, editor.StatusOK, answer.Text)
	assert.Equal(s.t, after, last.before)
	assert.Equal(s.t, exists, last.existed)
	s.past[i] = s.past[i][:n]
}

// isInsert reports whether after is before with text as lines of its own below
// line n, in any spelling of its line ends.
func isInsert(before, after string, n int, text string) bool {
	body := strings.TrimPrefix(before, "\ufeff")
	at := len(before) - len(body)
	for range n {
		end := strings.IndexByte(before[at:], '\n')
		if end < 0 {
			at = len(before)
			break
		}
		at += end + 1
	}
	head, tail := before[:at], before[at:]
	if !strings.HasPrefix(after, head) || !strings.HasSuffix(after[at:], tail) {
		return false
	}
	unix := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
	added := unix(strings.TrimSuffix(after[at:], tail))
	if n > 0 && !strings.HasSuffix(head, "\n") {
		return added == unix("\n"+text)
	}
	return added == unix(text) || added == unix(text+"\n") && !strings.HasSuffix(text, "\n")
}
