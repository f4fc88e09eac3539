package workspace_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/assert/cmp"

	"drydock/runtime/workspace"
	"drydock/runtime/workspace/internal/gittest"
)

// TestWhatIsInAPatch takes base in, as a repository that tracks the files in
// tracked (or no repository, where tracked is nil), and result out.
func TestWhatIsInAPatch(t *testing.T) {
	t.Parallel()
	none := []string{}
	for name, c := range map[string]struct {
		base, result gittest.Tree
		tracked      []string
		exclude      string
		want         []string
	}{
		"ignored new files stay out": {
			base:    gittest.Tree{".gitignore": file("*.log\nout/\n"), "a": file("1")},
			tracked: []string{".gitignore", "a"},
			result:  gittest.Tree{".gitignore": file("*.log\nout/\n"), "a": file("1"), "x.log": file("x"), "out/y": file("y"), "z": file("z")},
			want:    []string{"a z"},
		},
		"the rules are those of the result": {
			base:    gittest.Tree{".gitignore": file("*.log\n"), "a": file("1")},
			tracked: []string{".gitignore", "a"},
			result:  gittest.Tree{".gitignore": file("*.tmp\n"), "a": file("1"), "x.log": file("x"), "x.tmp": file("y")},
			want:    []string{"m .gitignore", "a x.log"},
		},
		"rules of nested directories, and negated ones": {
			base:    gittest.Tree{".gitignore": file("*.log\n")},
			tracked: []string{".gitignore"},
			result: gittest.Tree{
				".gitignore": file("*.log\n"), "d/.gitignore": file("!keep.log\n*.x\n"),
				"d/keep.log": file("k"), "d/y.x": file("x"), "e.x": file("e"), "d/e/f.x": file("f"),
			},
			want: []string{"a d/.gitignore", "a d/keep.log", "a e.x"},
		},
		"rules in an ignored directory do not count": {
			base:    gittest.Tree{".gitignore": file("out/\n")},
			tracked: []string{".gitignore"},
			result:  gittest.Tree{".gitignore": file("out/\n"), "out/.gitignore": file("!*\n"), "out/x": file("x")},
			want:    none,
		},
		"a .gitignore that is a symlink does not count": {
			base:    gittest.Tree{},
			tracked: none,
			result:  gittest.Tree{"rules": file("*.log\n"), ".gitignore": link("rules"), "x.log": file("x")},
			want:    []string{"a .gitignore", "a rules", "a x.log"},
		},
		"tracked files stay in although ignored": {
			base:    gittest.Tree{".gitignore": file("*.log\n"), "t.log": file("1\n"), "d.log": file("d\n"), "u.log": file("1\n")},
			tracked: []string{".gitignore", "t.log", "d.log"},
			result:  gittest.Tree{".gitignore": file("*.log\n"), "t.log": file("2\n"), "u.log": file("2\n")},
			want:    []string{"d d.log", "m t.log"},
		},
		"without a repository every file counts as tracked": {
			base:   gittest.Tree{".gitignore": file("*.log\n"), "t.log": file("1\n")},
			result: gittest.Tree{".gitignore": file("*.log\n"), "t.log": file("2\n"), "new.log": file("n")},
			want:   []string{"m t.log"},
		},
		"the repository's own excludes": {
			base:    gittest.Tree{"a": file("1")},
			tracked: []string{"a"},
			exclude: "secret\n",
			result:  gittest.Tree{"a": file("1"), "secret": file("s"), "open": file("o")},
			want:    []string{"a open"},
		},
		"new build output": {
			base:    gittest.Tree{"a.py": file("1")},
			tracked: []string{"a.py"},
			result: gittest.Tree{
				"a.py": file("1"), "__pycache__/a.cpython-311.pyc": file("\x00"), "b/.pytest_cache/x": file("x"),
				"node_modules/left/index.js": file("1"), "a.o": file("\x00"), "x.egg-info/PKG-INFO": file("i"), "build/x": file("x"),
			},
			want: []string{"a build/x"},
		},
		"build output that was there": {
			base:    gittest.Tree{"node_modules/a/index.js": file("1\n"), "lib.pyc": file("1\n")},
			tracked: []string{"node_modules/a/index.js", "lib.pyc"},
			result:  gittest.Tree{"node_modules/a/index.js": file("2\n"), "node_modules/a/new.js": file("n"), "lib.pyc": file("2\n"), "b.pyc": file("b")},
			want:    []string{"m lib.pyc", "m node_modules/a/index.js", "a node_modules/a/new.js"},
		},
		"mode, symlink, kind and rename": {
			base: gittest.Tree{"mode": file("m\n"), "link": link("a"), "kind": file("k\n"), "old": file("content\n"), "dir/x": file("x\n")},
			result: gittest.Tree{
				"mode": {Data: "m\n", Exec: true}, "link": link("b"), "kind": link("k"), "new": file("content\n"),
				"dir": file("now a file\n"),
			},
			want: []string{"a dir", "d dir/x", "d kind", "a kind", "m link", "m mode", "r old > new"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c.base.Write(t, dir)
			if c.tracked != nil {
				gittest.Init(t, dir)
				gittest.Tree{".git/info/exclude": file(c.exclude)}.Write(t, dir)
			}
			if len(c.tracked) > 0 {
				gittest.Run(t, dir, append([]string{"add", "-f", "--"}, c.tracked...)...)
			}
			patch := diff(t, take(t, dir), holding(c.result))
			assert.DeepEqual(t, paths(patch), c.want)
		})
	}
}

// TestRepositoriesInside has a repository below a directory that is none, and a
// file in it that the repository ignores.
func TestRepositoriesInside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	base := gittest.Tree{"r/.gitignore": file("*.log\n"), "r/a": file("1\n"), "r/x.log": file("1\n"), "x.log": file("1\n")}
	base.Write(t, dir)
	gittest.Init(t, dir+"/r")
	gittest.Run(t, dir+"/r", "add", "-A")
	result := base.Clone()
	result["r/a"], result["r/x.log"], result["x.log"] = file("2\n"), file("2\n"), file("2\n")
	assert.DeepEqual(t, paths(diff(t, take(t, dir), holding(result))), []string{"m r/a", "m x.log"})
}

func TestSplitIndex(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gittest.Init(t, dir)
	base := gittest.Tree{".gitignore": file("*.log\n"), "a.log": file("1\n"), "b.log": file("1\n")}
	base.Write(t, dir)
	gittest.Run(t, dir, "add", "-f", "a.log")
	gittest.Run(t, dir, "update-index", "--split-index")
	gittest.Run(t, dir, "add", "-f", ".gitignore")
	result := base.Clone()
	result["a.log"], result["b.log"] = file("2\n"), file("2\n")
	assert.DeepEqual(t, paths(diff(t, take(t, dir), holding(result))), []string{"m a.log"})
}

func TestUnreadableIndexTracksAll(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gittest.Init(t, dir)
	base := gittest.Tree{".gitignore": file("*.log\n"), "a.log": file("1\n")}
	base.Write(t, dir)
	gittest.Tree{".git/index": file("DIRC nonsense")}.Write(t, dir)
	result := base.Clone()
	result["a.log"] = file("2\n")
	patch := diff(t, take(t, dir), holding(result))
	assert.DeepEqual(t, paths(patch), []string{"m a.log"})
	assert.Assert(t, cmp.Contains(strings.Join(patch.Notes, "\n"), `".git/index" cannot be read`))
}

func TestOnlyChangedFilesAreFetched(t *testing.T) {
	t.Parallel()
	base := gittest.Tree{"same": file("1"), "edited": file("1"), "mode": file("1"), ".gitignore": file("x\n")}
	src := holding(gittest.Tree{"same": file("1"), "edited": file("2"), "mode": {Data: "1", Exec: true}, ".gitignore": file("x\n"), "link": link("same")})
	diff(t, taken(t, base), src)
	assert.DeepEqual(t, src.fetched, []string{"edited"})
}

func TestPatchLimits(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x\n", 5000)
	base := gittest.Tree{"a": file("1\n"), "gone": file(big), "moved/x": file(big)}
	result := gittest.Tree{"a": file("2\n"), "new": file(big), "z": file("z\n"), "moved": file("in its place\n")}
	for name, c := range map[string]struct {
		limits workspace.PatchLimits
		want   []string
		note   string
	}{
		"one file":  {workspace.PatchLimits{MaxFileBytes: 9999}, []string{"m a", "a z"}, `the change of "gone" was left out: it has 9.8 KiB`},
		"all files": {workspace.PatchLimits{MaxBytes: 10010}, []string{"m a", "d gone", "a z"}, "left out 3 changed files: together"},
		"new files": {workspace.PatchLimits{MaxNewFiles: 1}, []string{"m a", "a moved", "d moved/x", "r gone > new"}, "left out 1 files beyond the number"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			patch, err := workspace.Diff(t.Context(), taken(t, base), holding(result), c.limits)
			assert.NilError(t, err)
			assert.DeepEqual(t, paths(patch), c.want)
			assert.Assert(t, cmp.Contains(strings.Join(patch.Notes, "\n"), c.note))
			gittest.Apply(t, base, patch.Bytes)
		})
	}
}

func TestDiffOfEmptyWorkspace(t *testing.T) {
	t.Parallel()
	assert.DeepEqual(t, paths(diff(t, &workspace.Snapshot{}, holding(gittest.Tree{"a/b": file("x")}))), []string{"a a/b"})
	assert.Equal(t, len(diff(t, &workspace.Snapshot{}, &memory{}).Bytes), 0)
}

func TestDiffStopsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := workspace.Diff(ctx, taken(t, gittest.Tree{}), holding(gittest.Tree{"a": file("1")}), workspace.PatchLimits{})
	assert.Assert(t, errors.Is(err, context.Canceled))
}

// Build output that fills the patch must not crowd out a fix, and what a source
// does not hash because it is large is not taken for changed.
func TestWhatHasRoomFirst(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x\n", 5000)
	base := gittest.Tree{"kept": file(big), "m": file("1\n")}
	result := gittest.Tree{"kept": file(big), "m": file("2\n"), "a-output": file(big), "b-output": file(big), "z-fix": file("fix\n")}
	patch, err := workspace.Diff(t.Context(), taken(t, base), holding(result), workspace.PatchLimits{MaxBytes: 10_100})
	assert.NilError(t, err)
	assert.DeepEqual(t, paths(patch), []string{"a a-output", "m m", "a z-fix"})
	assert.Assert(t, cmp.Contains(strings.Join(patch.Notes, "\n"), `"b-output" was left out: there was no room`))

	src := holding(gittest.Tree{"kept": file(strings.Repeat("y\n", 5000)), "m": file("1\n")})
	patch, err = workspace.Diff(t.Context(), taken(t, base), src, workspace.PatchLimits{MaxFileBytes: 9999})
	assert.NilError(t, err)
	assert.Equal(t, len(patch.Bytes), 0)
}
