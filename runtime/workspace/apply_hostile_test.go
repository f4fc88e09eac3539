package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/assert/cmp"

	"drydock/runtime/workspace"
	"drydock/runtime/workspace/internal/gittest"
)

// TestHostilePatches applies patches that nobody made with Diff. Nothing may
// change, inside the directory or out.
func TestHostilePatches(t *testing.T) {
	t.Parallel()
	create := func(p string) string {
		return fmt.Sprintf("diff --git a/%s b/%s\nnew file mode 100644\nindex 0000000..1234567\n--- /dev/null\n+++ b/%s\n@@ -0,0 +1 @@\n+x\n", p, p, p)
	}
	for name, patch := range map[string]string{
		"repository":             create(".git/hooks/post-checkout"),
		"repository, case":       create("sub/.GIT/x"),
		"repository, spaces":     create(".git /x"),
		"repository, short":      create("git~1/x"),
		"repository, hfs":        "diff --git \"a/.g\\342\\200\\214it/x\" \"b/.g\\342\\200\\214it/x\"\nnew file mode 100644\n",
		"repository, backslash":  "diff --git \"a/.git\\\\x\" \"b/.git\\\\x\"\nnew file mode 100644\n",
		"parent":                 create("../outside"),
		"parent, inside":         create("sub/../../outside"),
		"absolute":               create("/tmp/outside"),
		"absolute, header":       "--- /etc/passwd\n+++ /etc//passwd\n@@ -1 +1 @@\n-x\n+y\n",
		"parent, quoted":         "diff --git \"a/..\\057x\" \"b/..\\057x\"\nnew file mode 100644\n",
		"rename out":             "diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to ../g\n",
		"rename into":            "diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to .git/g\n",
		"copy from":              "diff --git a/f b/g\nsimilarity index 100%\ncopy from .git/HEAD\ncopy to g\n",
		"no prefix":              "--- f\n+++ f\n@@ -1 +1 @@\n-f\n+g\n",
		"cut short":              "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n-f\n",
		"no patch":               "hello\n",
		"through a new symlink":  "diff --git a/l b/l\nnew file mode 120000\nindex 0000000..1234567\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+..\n\\ No newline at end of file\n" + create("l/outside"),
		"through an old symlink": create("out/outside"),
		"symlink for submodules": "diff --git a/.gitmodules b/.gitmodules\nnew file mode 120000\nindex 0000000..1234567\n--- /dev/null\n+++ b/.gitmodules\n@@ -0,0 +1 @@\n+f\n\\ No newline at end of file\n",
		"one good, one bad":      create("good") + create(".git/x"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			dir := filepath.Join(top, "dir")
			gittest.Tree{"f": file("f\n"), "sub/x": file("x\n"), "out": link("..")}.Write(t, dir)
			gittest.Init(t, dir)
			before := everyPath(t, top)
			assert.Assert(t, apply(t, dir, []byte(patch), workspace.ApplyOptions{}) != nil)
			assert.DeepEqual(t, everyPath(t, top), before)
		})
	}
}

func everyPath(t *testing.T, dir string) (paths []string) {
	t.Helper()
	assert.NilError(t, filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		paths = append(paths, fmt.Sprint(p, d.Type(), info.ModTime()))
		return err
	}))
	return paths
}

// TestContentThatLooksLikeHeaders is a patch that is fine, although lines of it
// would be refused as headers.
func TestContentThatLooksLikeHeaders(t *testing.T) {
	t.Parallel()
	base := gittest.Tree{"a": file("-- a/../x\n1\n2\n"), "sql": file("-- /etc/passwd\n")}
	result := gittest.Tree{"a": file("1\n2\n++ b/.git/x\n"), "sql": file("diff --git a/../x b/../x\nrename from ../x\n@@ -\n")}
	dir := t.TempDir()
	base.Write(t, dir)
	assert.NilError(t, apply(t, dir, diff(t, taken(t, base), holding(result)).Bytes, workspace.ApplyOptions{}))
	assert.DeepEqual(t, gittest.Read(t, dir), result)
}

// TestFailureHalfwayIsUndone has a symlink that no file system takes, which git
// notices only after it has removed and written other files.
func TestFailureHalfwayIsUndone(t *testing.T) {
	t.Parallel()
	base, result := everything()
	patch := string(diff(t, taken(t, base), holding(result)).Bytes)
	patch += "diff --git a/zz/link b/zz/link\nnew file mode 120000\nindex 0000000..1234567\n--- /dev/null\n+++ b/zz/link\n@@ -0,0 +1 @@\n+" +
		strings.Repeat("x", 6000) + "\n\\ No newline at end of file\n"
	dir := t.TempDir()
	base.Write(t, dir)
	err := apply(t, dir, []byte(patch), workspace.ApplyOptions{})
	assert.Assert(t, cmp.ErrorContains(err, "apply the patch: "))
	assert.DeepEqual(t, gittest.Read(t, dir), base)
	for _, p := range []string{"zz", "deep"} {
		_, err := os.Lstat(filepath.Join(dir, p))
		assert.Assert(t, os.IsNotExist(err))
	}
}
