package guest

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"gotest.tools/v3/assert"
)

func TestFilesWithoutANameAreCounted(t *testing.T) {
	began := time.Now().Add(-time.Second)
	name := filepath.Join(t.TempDir(), "file (deleted)")
	f, err := os.Create(name)
	assert.NilError(t, err)
	defer f.Close()
	_, err = f.Write(make([]byte, 1<<20))
	assert.NilError(t, err)
	before := tally{since: began, seen: map[inode]bool{}}
	before.open("/proc/self/fd/" + strconv.Itoa(int(f.Fd())))
	assert.Equal(t, before.used, usage{}, "it has its name yet")

	assert.NilError(t, os.Remove(name))
	after := tally{since: began, seen: map[inode]bool{}}
	after.unlinked()
	assert.Assert(t, after.used.Files >= 1 && after.used.Bytes >= 1<<20, "%+v", after.used)
}
