package runtime_test

import (
	"os"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/internal/scratch"
	"drydock/runtime"
)

// A run that was killed while it wrote loses the half-written file and nothing
// else; one that goes on loses nothing.
func TestSweepRuns(t *testing.T) {
	root := t.TempDir()
	files := func(d runtime.RunDir) []string {
		entries, err := os.ReadDir(d.Path)
		assert.NilError(t, err)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	start := func(id string) (runtime.RunDir, *os.File) {
		dir, err := runtime.CreateRunDir(root, "", id)
		assert.NilError(t, err)
		events, err := dir.CreateEvents()
		assert.NilError(t, err)
		assert.NilError(t, dir.WriteFile(runtime.PatchFile, []byte("kept")))
		half, err := scratch.Named(dir.Path)
		assert.NilError(t, err)
		assert.NilError(t, half.Close())
		return dir, events
	}
	dead, events := start("dead")
	assert.NilError(t, events.Close())
	alive, events := start("alive")
	defer events.Close()

	for _, dryRun := range []bool{true, false} {
		left, err := runtime.SweepRuns(root, dryRun)
		assert.NilError(t, err)
		assert.Equal(t, len(left), 1)
		assert.Equal(t, left[0].Removed, !dryRun)
	}
	assert.DeepEqual(t, files(dead), []string{runtime.EventsFile, runtime.PatchFile})
	assert.Equal(t, len(files(alive)), 3)

	_, err := alive.CreateEvents()
	assert.ErrorContains(t, err, "open event log: ")
	left, err := runtime.SweepRuns(root+"/nosuch", false)
	assert.NilError(t, err)
	assert.Equal(t, len(left), 0)
}
