package scratch

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
)

// Removing a directory would go on into what is mounted in it.
func TestAMountKeepsItsDirectory(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounting needs root")
	}
	tmp := t.TempDir()
	dir := filepath.Join(tmp, prefix+"test 1")
	inside := filepath.Join(dir, "a", "b")
	assert.NilError(t, os.MkdirAll(inside, 0o700))
	assert.NilError(t, syscall.Mount("tmpfs", inside, "tmpfs", 0, "size=64k"))
	t.Cleanup(func() { _ = syscall.Unmount(inside, syscall.MNT_DETACH) })
	left, err := Sweep(tmp, false)
	assert.NilError(t, err)
	assert.Equal(t, len(left), 1)
	assert.Equal(t, left[0].Reason, reasonMounted)
	assert.Assert(t, !left[0].Removed)
	_, err = os.Stat(inside)
	assert.NilError(t, err)
}

// What is among the temporary files of a machine may be anybody's.
func TestWhatBelongsToOthersStays(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("giving away needs root")
	}
	tmp := t.TempDir()
	dir := filepath.Join(tmp, prefix+"test-1")
	assert.NilError(t, os.Mkdir(dir, 0o700))
	assert.NilError(t, os.Chown(dir, 12345, 12345))
	left, err := Sweep(tmp, false)
	assert.NilError(t, err)
	assert.Equal(t, len(left), 0)
	_, err = os.Stat(dir)
	assert.NilError(t, err)
}
