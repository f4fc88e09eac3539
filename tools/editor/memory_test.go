package editor_test

import (
	"context"
	"crypto/sha256"
	"sync"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/tools/editor"
)

// memoryFiles is a flat set of files, for tests of what the kernel does not
// decide. A fault in it answers a call instead of the files.
type memoryFiles struct {
	mu    sync.Mutex
	files map[string][]byte
	sizes map[string]int64 // pretended sizes
	fault func(op string) error
}

func newMemory(files map[string]string) *memoryFiles {
	m := &memoryFiles{files: map[string][]byte{}, fault: func(string) error { return nil }}
	for path, text := range files {
		m.files[path] = []byte(text)
	}
	return m
}

func (m *memoryFiles) Read(_ context.Context, path string, limit int64) (editor.File, error) {
	if err := m.fault("read"); err != nil {
		return editor.File{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	data, ok := m.files[path]
	if !ok {
		return editor.File{}, editor.ErrNotFound
	}
	size := max(m.sizes[path], int64(len(data)))
	return editor.File{
		Path: path, Data: data[:min(limit, int64(len(data)))], Mode: 0o644, Size: size, Truncated: size > limit,
	}, nil
}

func (m *memoryFiles) Write(_ context.Context, path string, data []byte, opts editor.WriteOptions) (editor.File, error) {
	if err := m.fault("write"); err != nil {
		return editor.File{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	old, exists := m.files[path]
	if opts.Expect != nil && !exists {
		return editor.File{}, editor.ErrNotFound
	}
	if opts.New && exists || opts.Expect != nil && sha256.Sum256(old) != *opts.Expect {
		return editor.File{}, editor.ErrChanged
	}
	m.files[path] = data
	return editor.File{Path: path, Mode: opts.Mode, Size: int64(len(data))}, nil
}

func (m *memoryFiles) Remove(_ context.Context, path string, expect *editor.Sum) error {
	if err := m.fault("remove"); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if expect == nil || sha256.Sum256(m.files[path]) != *expect {
		return editor.ErrChanged
	}
	delete(m.files, path)
	return nil
}

func (m *memoryFiles) List(context.Context, string, int, int) (editor.Listing, error) {
	return editor.Listing{}, m.fault("list")
}

func (m *memoryFiles) content(path string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return string(m.files[path])
}

func replaceArgs(path, old, text string) editor.Args {
	return editor.Args{Command: editor.CommandReplace, Path: path, OldStr: &old, NewStr: &text}
}

func createArgs(path, text string) editor.Args {
	return editor.Args{Command: editor.CommandCreate, Path: path, FileText: &text}
}

func insertArgs(path string, line int, text string) editor.Args {
	return editor.Args{Command: editor.CommandInsert, Path: path, InsertLine: &line, NewStr: &text}
}

func undoArgs(path string) editor.Args {
	return editor.Args{Command: editor.CommandUndo, Path: path}
}

func viewArgs(path string, lines ...int) editor.Args {
	return editor.Args{Command: editor.CommandView, Path: path, ViewRange: lines}
}

func run(t *testing.T, ed *editor.Editor, args editor.Args) editor.Answer {
	t.Helper()
	answer, err := ed.Run(t.Context(), args)
	assert.NilError(t, err)
	return answer
}

func runOK(t *testing.T, ed *editor.Editor, args editor.Args) editor.Answer {
	t.Helper()
	answer := run(t, ed, args)
	assert.Equal(t, answer.Status, editor.StatusOK, answer.Text)
	return answer
}
