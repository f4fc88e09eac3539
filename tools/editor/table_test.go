package editor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"gotest.tools/v3/assert"

	"drydock/tools/editor"
)

// row is one entry of the tables in testdata: a workspace, steps in it, and
// what is left in the end.
type row struct {
	Name string
	state
	Steps []step
	Left  *state
}

// state is the content of a workspace.
type state struct {
	Files  map[string]string // as UTF-8
	Bytes  map[string]string // each character up to U+00FF is one byte
	Modes  map[string]string // octal; 0644 unless given
	Links  map[string]string // from link to target
	Absent []string
}

// step is a call of the editor, or something that happens besides it.
type step struct {
	Call    json.RawMessage
	Raw     string // arguments that are not JSON
	Status  editor.Status
	Shows   []string
	Hides   []string
	Outside *state
}

func TestTables(t *testing.T) {
	t.Parallel()
	tables, err := filepath.Glob("testdata/*.json")
	assert.NilError(t, err)
	assert.Assert(t, len(tables) > 0)
	for _, table := range tables {
		for _, r := range loadRows(t, table) {
			t.Run(strings.TrimSuffix(filepath.Base(table), ".json")+"/"+r.Name, func(t *testing.T) {
				t.Parallel()
				runRow(t, r)
			})
		}
	}
}

func loadRows(t *testing.T, table string) []row {
	t.Helper()
	text, err := os.ReadFile(table)
	assert.NilError(t, err)
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	var rows []row
	assert.NilError(t, dec.Decode(&rows), table)
	return rows
}

func runRow(t *testing.T, r row) {
	t.Helper()
	disk := newDisk(t)
	r.put(t, disk)
	ed := editor.New(disk, editor.Options{})
	for i, s := range r.Steps {
		if s.Outside != nil {
			s.Outside.put(t, disk)
			continue
		}
		raw := s.Call
		if raw == nil {
			raw = json.RawMessage(s.Raw)
		}
		answer := call(t, ed, raw)
		assert.Equal(t, answer.Status, s.Status, "step %d: %s", i, answer.Text)
		for _, want := range s.Shows {
			assert.Assert(t, strings.Contains(answer.Text, want), "step %d should show %q:\n%s", i, want, answer.Text)
		}
		for _, unwanted := range s.Hides {
			assert.Assert(t, !strings.Contains(answer.Text, unwanted), "step %d should not show %q:\n%s", i, unwanted, answer.Text)
		}
	}
	assert.Equal(t, len(disk.leftovers()), 0, "temporary files: %v", disk.leftovers())
	if r.Left != nil {
		r.Left.check(t, disk)
	}
}

// call decodes and runs, as an adapter does. What every answer must be is
// checked here.
func call(t *testing.T, ed *editor.Editor, raw json.RawMessage) editor.Answer {
	t.Helper()
	args, err := editor.Decode(raw)
	answer := editor.Answer{Status: editor.StatusRejected}
	if err != nil {
		var wrong *editor.ArgumentError
		assert.Assert(t, errors.As(err, &wrong))
		answer.Text = err.Error()
	} else {
		answer, err = ed.Run(context.Background(), args)
		assert.NilError(t, err)
	}
	assert.Assert(t, answer.Text != "")
	assert.Assert(t, utf8.ValidString(answer.Text), "%q", answer.Text)
	raws := strings.IndexFunc(answer.Text, func(r rune) bool { return unicode.IsControl(r) && r != '\t' && r != '\n' })
	assert.Assert(t, raws < 0, "control character in %q", answer.Text)
	return answer
}

func newDisk(t *testing.T) *diskFiles {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	assert.NilError(t, err)
	assert.NilError(t, os.Mkdir(filepath.Join(root, "workspace"), 0o755))
	return &diskFiles{root: root}
}

func (s *state) contents() map[string][]byte {
	all := map[string][]byte{}
	for name, text := range s.Files {
		all[name] = []byte(text)
	}
	for name, text := range s.Bytes {
		var data []byte
		for _, r := range text {
			data = append(data, byte(r))
		}
		all[name] = data
	}
	return all
}

// put makes a workspace like the state.
func (s *state) put(t *testing.T, disk *diskFiles) {
	t.Helper()
	for name, data := range s.contents() {
		path := disk.host("/workspace/" + name)
		assert.NilError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		assert.NilError(t, os.WriteFile(path, data, 0o644))
	}
	for name, mode := range s.Modes {
		assert.NilError(t, os.Chmod(disk.host("/workspace/"+name), octal(t, mode)))
	}
	for name, target := range s.Links {
		assert.NilError(t, os.Symlink(target, disk.host("/workspace/"+name)))
	}
	for _, name := range s.Absent {
		assert.NilError(t, os.RemoveAll(disk.host("/workspace/"+name)))
	}
}

// check asserts that a workspace holds what the state says.
func (s *state) check(t *testing.T, disk *diskFiles) {
	t.Helper()
	for name, want := range s.contents() {
		got, err := os.ReadFile(disk.host("/workspace/" + name))
		assert.NilError(t, err)
		assert.Equal(t, string(got), string(want), name)
	}
	for name, mode := range s.Modes {
		info, err := os.Stat(disk.host("/workspace/" + name))
		assert.NilError(t, err)
		assert.Equal(t, info.Mode().Perm(), octal(t, mode), name)
	}
	for name, want := range s.Links {
		got, err := os.Readlink(disk.host("/workspace/" + name))
		assert.NilError(t, err)
		assert.Equal(t, got, want, name)
	}
	for _, name := range s.Absent {
		_, err := os.Lstat(disk.host("/workspace/" + name))
		assert.Assert(t, errors.Is(err, fs.ErrNotExist), "%s should not exist", name)
	}
}

func octal(t *testing.T, text string) fs.FileMode {
	t.Helper()
	mode, err := strconv.ParseUint(text, 8, 32)
	assert.NilError(t, err)
	return fs.FileMode(mode)
}
