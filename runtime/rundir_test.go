package runtime_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/runtime"
)

func makeRun(t *testing.T, root, id string) runtime.RunDir {
	t.Helper()
	dir, err := runtime.CreateRunDir(root, "", id)
	assert.NilError(t, err)
	assert.NilError(t, dir.WriteFile(runtime.EventsFile, nil))
	return dir
}

func TestFindRunDir(t *testing.T) {
	root := t.TempDir()
	one := makeRun(t, root, "20260101-000000-aaaaaa")
	makeRun(t, root, "20260102-000000-bbbbbb")
	for name, want := range map[string]string{
		one.ID:     one.ID,
		"20260101": one.ID,
		one.Path:   one.ID,
	} {
		got, err := runtime.FindRunDir(root, name)
		assert.NilError(t, err)
		assert.Equal(t, got.ID, want)
		assert.Equal(t, got.Path, one.Path)
	}
	_, err := runtime.FindRunDir(root, "2026")
	assert.ErrorContains(t, err, "stands for 2 runs")
	for _, missing := range []string{"2027", "", "/nowhere/at/all"} {
		_, err := runtime.FindRunDir(root, missing)
		assert.Assert(t, err != nil, "%q", missing)
	}
	_, err = runtime.FindRunDir(filepath.Join(root, "nosuch"), "2026")
	assert.ErrorIs(t, err, runtime.ErrNoRun)
}

func TestRunDirIsPrivateAndNotUsedTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	dir, err := runtime.CreateRunDir("", path, "id")
	assert.NilError(t, err)
	st, err := os.Stat(dir.Path)
	assert.NilError(t, err)
	assert.Equal(t, st.Mode().Perm(), os.FileMode(0o700))
	assert.NilError(t, dir.WriteFile(runtime.EventsFile, nil))
	_, err = runtime.CreateRunDir("", path, "other")
	assert.ErrorContains(t, err, "holds a run already")
}

func TestRecordComesBack(t *testing.T) {
	dir := makeRun(t, t.TempDir(), "id")
	want := runtime.Record{Version: runtime.SchemaVersion, ID: "id", Task: "t", Reason: runtime.ReasonDone, Started: time.Unix(1, 0).UTC(), Ended: time.Unix(2, 0).UTC()}
	assert.NilError(t, dir.WriteRecord(want))
	got, err := dir.ReadRecord()
	assert.NilError(t, err)
	assert.DeepEqual(t, got, want)
	left, err := os.ReadDir(dir.Path)
	assert.NilError(t, err)
	assert.Equal(t, len(left), 2, "a temporary file was left")
}

func TestRunIDsSortByTime(t *testing.T) {
	a, b := runtime.NewRunID(time.Unix(100, 0)), runtime.NewRunID(time.Unix(101, 0))
	assert.Assert(t, a < b)
	assert.Assert(t, a != runtime.NewRunID(time.Unix(100, 0)))
	assert.Equal(t, strings.ToLower(a), a)
}
