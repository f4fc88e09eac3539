package gitdiff_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime/workspace/internal/gittest"
)

// cases is how many random trees are tried; GITDIFF_CASES asks for more.
func cases(t *testing.T, n int) int {
	t.Helper()
	if testing.Short() {
		return n / 10
	}
	if s := os.Getenv("GITDIFF_CASES"); s != "" {
		more, err := strconv.Atoi(s)
		assert.NilError(t, err)
		return more
	}
	return n
}

// TestTreesAsGit compares whole changes with git: every byte must be the same,
// and git must be able to apply them. The payload of binary patches counts where
// git compresses like this package.
func TestTreesAsGit(t *testing.T) {
	t.Parallel()
	tail, zlib := gittest.CountsLastLine(t), gittest.OriginalZlib(t)
	for i := range cases(t, 40) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			r := gittest.NewRandom(uint64(i))
			r.Terminated = tail
			base := r.Tree(25)
			result := r.Edit(base, 25)
			got, _ := diff(t, base, result)
			assert.DeepEqual(t, gittest.Apply(t, base, got), result)
			// There are changes for which git prints a patch that it refuses.
			if want := gittest.Diff(t, base, result); gittest.Applies(t, base, want) {
				if !zlib {
					got, want = gittest.WithoutPayload(got), gittest.WithoutPayload(want)
				}
				assertSame(t, got, want)
			}
		})
	}
}
