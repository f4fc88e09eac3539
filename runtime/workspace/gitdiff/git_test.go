package gitdiff_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime/workspace/gitdiff"
	"drydock/runtime/workspace/internal/gittest"
)

// changes lists what differs between two trees.
func changes(base, result gittest.Tree) []gitdiff.Change {
	var out []gitdiff.Change
	for p, f := range base {
		if g, ok := result[p]; !ok {
			out = append(out, gitdiff.Change{Old: blob(p, f)})
		} else if f != g {
			out = append(out, gitdiff.Change{Old: blob(p, f), New: blob(p, g)})
		}
	}
	for p, f := range result {
		if _, ok := base[p]; !ok {
			out = append(out, gitdiff.Change{New: blob(p, f)})
		}
	}
	return out
}

func blob(p string, f gittest.File) *gitdiff.Blob {
	mode := gitdiff.ModeFile
	switch {
	case f.Link:
		mode = gitdiff.ModeSymlink
	case f.Exec:
		mode = gitdiff.ModeExec
	}
	return gitdiff.NewBlob(p, mode, []byte(f.Data), gitdiff.SHA1)
}

func diff(t *testing.T, base, result gittest.Tree) ([]byte, gitdiff.Result) {
	t.Helper()
	var b bytes.Buffer
	res, err := gitdiff.Diff(context.Background(), &b, changes(base, result), gitdiff.SHA1)
	assert.NilError(t, err)
	return b.Bytes(), res
}

// TestTextAsGit compares many edited texts with git at once, byte for byte.
func TestTextAsGit(t *testing.T) {
	t.Parallel()
	for round, size := range []int{3, 20, 100, 400, 2000, 8000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			r := gittest.NewRandom(uint64(round))
			base, result := gittest.Tree{}, gittest.Tree{}
			for i := range min(100, 60000/size) {
				p := fmt.Sprintf("f%03d", i)
				text := r.Text(size)
				base[p] = gittest.File{Data: text}
				result[p] = gittest.File{Data: r.EditText(text, 1+size/5)}
				if i%10 == 0 { // nothing in common but the vocabulary
					result[p] = gittest.File{Data: r.Text(size)}
				}
			}
			got, _ := diff(t, base, result)
			want := gittest.Diff(t, base, result)
			assertSame(t, got, want)
		})
	}
}

// assertSame shows the first differing place rather than two whole patches.
func assertSame(t *testing.T, got, want []byte) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	from := max(0, i-600)
	t.Fatalf("patch differs from git's at byte %d\n--- got\n%s\n--- want\n%s", i,
		got[from:min(len(got), i+600)], want[from:min(len(want), i+600)])
}
