package workspace

import (
	"slices"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime/workspace/internal/gittest"
)

// TestPatchPathsOfGitsPatches reads patches that git made. The paths are those
// that differ, whatever bytes are in them and in the contents.
func TestPatchPathsOfGitsPatches(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		r := gittest.NewRandom(500 + seed)
		base := r.Tree(40)
		result := r.Edit(base, 40)
		want := []string{}
		for p, f := range base {
			if g, ok := result[p]; !ok || f != g {
				want = append(want, p)
			}
		}
		for p := range result {
			if _, ok := base[p]; !ok {
				want = append(want, p)
			}
		}
		slices.Sort(want)
		got, err := patchPaths(gittest.Diff(t, base, result))
		assert.NilError(t, err)
		assert.DeepEqual(t, append([]string{}, got...), want)
	}
}

// FuzzPatchPaths looks for panics, and for paths that lead out.
func FuzzPatchPaths(f *testing.F) {
	f.Add([]byte("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c\n"))
	f.Add([]byte("diff --git \"a/\\303\\274\" b/x\nrename from \"\\303\\274\"\nrename to x\n"))
	f.Add([]byte("diff --git \"a/\\9\\\nrename from \"\\\ncopy to \"\\7\n@@ -,+@@\n"))
	f.Fuzz(func(t *testing.T, patch []byte) {
		paths, err := patchPaths(patch)
		if err != nil {
			return
		}
		for _, p := range paths {
			assert.Assert(t, validPath(p) && !insideGit(p))
		}
	})
}
