package guest

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/sandbox/wire"
)

// A file stays one file under all of its names, longer or shorter, and keeps its
// mode.
func TestReplacingKeepsHardLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	assert.NilError(t, os.WriteFile(first, []byte("old text\n"), 0o640))
	assert.NilError(t, os.Link(first, second))
	for _, text := range []string{"a text that is longer than the old one\n", "short\n", "", "again\n"} {
		_, err := replaceFile(first, []byte(text), wire.WriteOptions{})
		assert.NilError(t, err)
		got, err := os.ReadFile(second)
		assert.NilError(t, err)
		assert.Equal(t, string(got), text)
	}
	st, err := os.Stat(second)
	assert.NilError(t, err)
	assert.Equal(t, st.Mode().Perm(), os.FileMode(0o640))
}

// Whoever has a file open goes on reading what it was, and nothing is left beside.
func TestReplacingIsOneStep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	assert.NilError(t, os.WriteFile(path, []byte("old"), 0o755))
	open, err := os.Open(path)
	assert.NilError(t, err)
	defer open.Close()
	sum := sha256.Sum256([]byte("old"))
	_, err = replaceFile(path, []byte("new"), wire.WriteOptions{Expect: sum[:]})
	assert.NilError(t, err)
	got := make([]byte, 3)
	_, err = open.Read(got)
	assert.NilError(t, err)
	assert.Equal(t, string(got), "old")
	_, err = replaceFile(path, []byte("other"), wire.WriteOptions{Expect: sum[:]})
	assert.ErrorContains(t, err, "was changed meanwhile")
	st, err := os.Stat(path)
	assert.NilError(t, err)
	assert.Equal(t, st.Mode().Perm(), os.FileMode(0o755))
	names, err := os.ReadDir(dir)
	assert.NilError(t, err)
	assert.Equal(t, len(names), 1)
}
