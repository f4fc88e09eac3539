package agents_test

import (
	"path/filepath"
	"regexp"
	"testing"

	"gotest.tools/v3/assert"
)

// Every row says what it is for, and whoever runs the normal tests plays rows of
// every kind.
func TestTablesAreWhole(t *testing.T) {
	files, err := filepath.Glob("testdata/conformance/*.jsonl")
	assert.NilError(t, err)
	assert.Equal(t, len(files), 4)
	caseID := regexp.MustCompile(`^[A-Z]{2}-[0-9]{2}$`)
	seen := map[string]bool{}
	for _, file := range files {
		normal := map[string]int{}
		for _, r := range readRows(t, file) {
			assert.Assert(t, r.ID != "" && r.Kind != "" && r.Why != "" && len(r.Calls) > 0, "%s: %s", file, r.ID)
			assert.Assert(t, !seen[r.ID], "two rows are named %s", r.ID)
			seen[r.ID] = true
			for _, id := range r.Covers {
				assert.Assert(t, caseID.MatchString(id), "%s covers %q", r.ID, id)
			}
			if normal[r.Kind] += 0; !r.Slow {
				normal[r.Kind]++
			}
		}
		for kind, n := range normal {
			assert.Assert(t, n > 0, "%s: all rows of the kind %s are slow", file, kind)
		}
	}
}
