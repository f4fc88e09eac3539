package runtime_test

import (
	"os"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime"
)

func TestOutputsAreBounded(t *testing.T) {
	dir := makeRun(t, t.TempDir(), "20260101-000000-aaaaaa")
	outputs := runtime.NewOutputs(dir)
	part := make([]byte, 20<<20)
	for i := range 5 {
		raw, err := outputs.Keep(part, nil)
		assert.NilError(t, err)
		assert.Equal(t, raw != nil, i < 3)
	}
	small, err := outputs.Keep([]byte("a"), []byte("b"))
	assert.NilError(t, err)
	assert.Equal(t, *small, runtime.RawOutput{File: "outputs/0004", Head: 1, Tail: 1})
	info, err := os.Stat(dir.File(small.File))
	assert.NilError(t, err)
	assert.Equal(t, info.Mode().Perm(), os.FileMode(0o600))
}

func TestOutputsSayWhenTheyCannotBeKept(t *testing.T) {
	dir := makeRun(t, t.TempDir(), "20260101-000000-aaaaaa")
	assert.NilError(t, os.WriteFile(dir.File(runtime.OutputsDir), nil, 0o600))
	_, err := runtime.NewOutputs(dir).Keep([]byte("a"), nil)
	assert.ErrorContains(t, err, "keep raw output")
}
