package workspace_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime/workspace/internal/gittest"
)

// TestDiffAsGit takes random trees in and changed ones out. Git must make of the
// patch exactly the result, and print the same but for the payload of binary
// files.
func TestDiffAsGit(t *testing.T) {
	t.Parallel()
	tail := gittest.CountsLastLine(t)
	for i := range 25 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			r := gittest.NewRandom(uint64(1000 + i))
			r.Terminated = tail
			base := r.Tree(25)
			result := r.Edit(base, 25)
			patch := diff(t, taken(t, base), holding(result))
			assert.Equal(t, len(patch.Notes), 0, "%q", patch.Notes)
			assert.DeepEqual(t, gittest.Apply(t, base, patch.Bytes), result)
			want := gittest.Diff(t, base, result)
			if !gittest.Applies(t, base, want) {
				return // there are changes that git itself gets wrong
			}
			assert.Equal(t, string(gittest.WithoutPayload(patch.Bytes)), string(gittest.WithoutPayload(want)))
		})
	}
}

func TestDiffOfRepositoryWithSHA256(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gittest.Run(t, dir, "init", "-q", "--object-format=sha256", "--template=")
	base := gittest.Tree{"a": file("one\n"), "b": file("x\x00y"), "gone": file("gone\n")}
	base.Write(t, dir)
	gittest.Run(t, dir, "add", "-A")
	snap := take(t, dir)
	tree := strings.TrimSpace(string(gittest.Run(t, dir, "write-tree")))

	result := gittest.Tree{"a": file("two\n"), "b": file("x\x00z")}
	gittest.Clear(t, dir)
	result.Write(t, dir)
	gittest.Run(t, dir, "add", "-A")
	want := gittest.Run(t, dir, "diff", "--cached", "--binary", tree)
	patch := diff(t, snap, holding(result))
	assert.Equal(t, string(gittest.WithoutPayload(patch.Bytes)), string(gittest.WithoutPayload(want)))
	assert.Assert(t, bytes.Contains(patch.Bytes, []byte("GIT binary patch")))
}

// TestDiffIsRelativeToWhatWentIn has a dirty tree: changes the person had made
// already are not in the patch.
func TestDiffIsRelativeToWhatWentIn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gittest.Init(t, dir)
	gittest.Tree{"committed": file("1\n"), "removed": file("x\n")}.Write(t, dir)
	gittest.Run(t, dir, "add", "-A")
	gittest.Run(t, dir, "commit", "-qm", "first")
	gittest.Clear(t, dir)
	dirty := gittest.Tree{"committed": file("1\n2\n"), "untracked": file("a\n")}
	dirty.Write(t, dir)
	snap := take(t, dir)

	assert.Equal(t, len(diff(t, snap, holding(dirty)).Bytes), 0)
	result := gittest.Tree{"committed": file("1\n2\n3\n"), "untracked": file("b\n")}
	patch := diff(t, snap, holding(result))
	assert.DeepEqual(t, paths(patch), []string{"m committed", "m untracked"})
	assert.DeepEqual(t, gittest.Apply(t, dirty, patch.Bytes), result)
}
