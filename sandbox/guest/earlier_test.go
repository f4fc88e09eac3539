package guest

import (
	"testing"

	"gotest.tools/v3/assert"
)

// Only what could be taken for the new call's is spared: older processes are
// told apart by their start.
func TestJobsOfTheLastCallAreSpared(t *testing.T) {
	var e earlier
	e.set([]proc{{pid: 10, start: 99}, {pid: 11, start: 100}, {pid: 12, start: 101}})
	keep := map[int]bool{1: true}
	e.spare(100, keep)
	assert.DeepEqual(t, keep, map[int]bool{1: true, 11: true, 12: true})
	e.set(nil)
	keep = map[int]bool{}
	e.spare(0, keep)
	assert.Equal(t, len(keep), 0)
}
