package workspace_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/assert/cmp"

	"drydock/runtime/workspace"
	"drydock/runtime/workspace/internal/gittest"
)

// TestPathsThatStayOut lists a file at a path that must never get into a patch.
func TestPathsThatStayOut(t *testing.T) {
	t.Parallel()
	for _, p := range []string{
		"", "/", "/etc/passwd", "..", "../x", "a/../../x", "a/./b", "./a", "a//b", "a/", "nul\x00", "nul\x00/a",
		strings.Repeat("n", 256), strings.Repeat("long/", 900) + "x",
		".git/config", ".GIT/config", "a/.Git/hooks/x", ".git", ".git./x", ".git /x", ".git . ./x", "git~1/x", "GIT~1/x", "a/git~1",
		".g\u200cit/x", "\u202e.git/x", ".gi\ufefft/x", ".git:x/y", ".git::$INDEX_ALLOCATION/x", `.git\x`, `a\.git\x`, `a\GIT~1`, "git~1 /x",
	} {
		t.Run(fmt.Sprintf("%.30q", p), func(t *testing.T) {
			t.Parallel()
			src := holding(gittest.Tree{"good": file("g\n")}).add(p, file("bad")).add(p, link("bad"))
			patch := diff(t, taken(t, gittest.Tree{}), src)
			assert.DeepEqual(t, paths(patch), []string{"a good"})
		})
	}
}

// TestPathsGitTakes lists names that merely look dangerous.
func TestPathsGitTakes(t *testing.T) {
	t.Parallel()
	base, result := gittest.Tree{}, gittest.Tree{}
	for _, p := range []string{".github/x", "git", ".gitignored", "git~2", "..a", "a..", "...", "x.git/y", ".git-x", "git~1x", `a\b`, "-", "~", ".gitattributes"} {
		result[p] = file("x\n")
	}
	result["gitmod~5"], result["~1"], result["a\xffb"], result["n\n"] = link("x"), link("x"), link("x"), file("x")
	patch := diff(t, taken(t, base), holding(result))
	assert.DeepEqual(t, gittest.Apply(t, base, patch.Bytes), result)
}

func TestSymlinksThatStayOut(t *testing.T) {
	t.Parallel()
	base := gittest.Tree{".gitmodules": file("[submodule]\n")}
	for _, f := range []struct{ path, target string }{
		{".gitmodules", "x"},
		{"a/.GitModules", "x"},
		{".gitmodules ", "x"},
		{"gitmod~1", "x"},
		{"GI7EBA~1", "x"},
		{"gi7eb~12", "x"},
		{`a\.gitmodules`, "x"},
		{".gitmodule\u200cs", "x"},
		{"empty", ""},
		{"nul", "a\x00b"},
		{"long", strings.Repeat("x", 5000)},
	} {
		src := holding(gittest.Tree{"good": file("g\n")}).add(f.path, link(f.target))
		if f.path != ".gitmodules" {
			src.add(".gitmodules", base[".gitmodules"])
		}
		patch := diff(t, taken(t, base), src)
		assert.DeepEqual(t, paths(patch), []string{"a good"})
		assert.Equal(t, len(patch.Notes), 1, "%q", f.path)
	}
}

// TestContradictions lists what cannot be true. The rest has to be a patch that
// applies.
func TestContradictions(t *testing.T) {
	t.Parallel()
	base := gittest.Tree{"d/x": file("x\n"), "f": file("f\n"), "l": link("d")}
	kept := holding(base)
	for name, c := range map[string]struct {
		extra func(m *memory)
		want  []string
	}{
		"a path twice":                 {func(m *memory) { m.add("n", file("1\n")).add("n", file("2\n")) }, []string{"a n"}},
		"a path of the snapshot twice": {func(m *memory) { m.add("f", file("other\n")) }, []string{}},
		"below a new file":             {func(m *memory) { m.add("n", file("1\n")).add("n/m", file("2\n")) }, []string{"a n"}},
		"below a file that was there":  {func(m *memory) { m.add("f/m", file("2\n")) }, []string{}},
		"below a symlink":              {func(m *memory) { m.add("l/m", file("2\n")) }, []string{}},
		"below a new symlink":          {func(m *memory) { m.add("n/passwd", file("2\n")).add("n", link("/etc")) }, []string{"a n"}},
		"a file where a directory is":  {func(m *memory) { m.add("d", file("2\n")) }, []string{"a d", "d d/x"}},
		"a negative size": {func(m *memory) {
			m.addEntry(workspace.Entry{Path: "n", Kind: workspace.File, Size: -1})
		}, []string{}},
		"a kind there is none of": {func(m *memory) {
			m.addEntry(workspace.Entry{Path: "n", Kind: 77, Size: 1})
		}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := &memory{listed: kept.listed[:len(kept.listed):len(kept.listed)], content: map[string]string{}}
			c.extra(src)
			patch := diff(t, taken(t, base), src)
			if name == "a path twice" {
				// The content delivered fits the second entry, so neither is believed.
				assert.Equal(t, len(patch.Files), 0)
				return
			}
			assert.DeepEqual(t, paths(patch), c.want)
			gittest.Apply(t, base, patch.Bytes)
		})
	}
}

// endless reads as the same byte forever.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestLiesAboutContent delivers something else than what was listed.
func TestLiesAboutContent(t *testing.T) {
	t.Parallel()
	broken := errors.New("stream ended")
	for name, deliver := range map[string]func() io.Reader{
		"shorter": func() io.Reader { return strings.NewReader("12345") },
		"longer":  func() io.Reader { return strings.NewReader("1234567") },
		"other":   func() io.Reader { return strings.NewReader("654321") },
		"nothing": func() io.Reader { return strings.NewReader("") },
		"endless": func() io.Reader { return endless{} },
		"broken":  func() io.Reader { return io.MultiReader(strings.NewReader("12"), &failing{broken}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := gittest.Tree{"a": file("before\n"), "b": file("b\n")}
			src := holding(gittest.Tree{"a": file("123456"), "b": file("b\n"), "new": file("123456")})
			src.deliver = func(string) io.Reader { return deliver() }
			patch, err := workspace.Diff(t.Context(), taken(t, base), src, workspace.PatchLimits{})
			if name == "broken" {
				assert.Assert(t, errors.Is(err, broken))
				return
			}
			assert.NilError(t, err)
			assert.Equal(t, len(patch.Bytes), 0)
			assert.DeepEqual(t, patch.Notes, []string{
				`the change of "a" was left out: it changed while it was read`,
				`the change of "new" was left out: it changed while it was read`,
			})
		})
	}
}

type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }

func TestSizeLie(t *testing.T) {
	t.Parallel()
	src := holding(gittest.Tree{})
	src.addEntry(workspace.Entry{Path: "huge", Kind: workspace.File, Size: 1 << 62, SHA256: sha256.Sum256(nil)})
	src.addEntry(workspace.Entry{Path: ".gitignore", Kind: workspace.File, Size: 1 << 62})
	src.deliver = func(string) io.Reader { return endless{} }
	patch := diff(t, taken(t, gittest.Tree{}), src)
	assert.Equal(t, len(patch.Files), 0)
	assert.Equal(t, len(src.fetched), 0)
}

// TestUnreadableIsNotDeleted has a directory and a file that the sandbox could
// not read: nothing is known about them, so they stay.
func TestUnreadableIsNotDeleted(t *testing.T) {
	t.Parallel()
	base := gittest.Tree{"d/x": file("x\n"), "d/e/y": file("y\n"), "f": file("f\n"), "gone": file("g\n")}
	src := &memory{listed: []workspace.Found{
		{Entry: workspace.Entry{Path: "d", Kind: workspace.Dir}},
		{Entry: workspace.Entry{Path: "d", Kind: workspace.Other}, Problem: "permission\ndenied"},
		{Entry: workspace.Entry{Path: "f", Kind: workspace.File}, Problem: "permission denied"},
		{Entry: workspace.Entry{Path: "unknown", Kind: workspace.File}, Problem: "no such file"},
	}}
	patch := diff(t, taken(t, base), src)
	assert.DeepEqual(t, paths(patch), []string{"d gone"})
	assert.Equal(t, patch.Notes[0], `"d" could not be read and is left as it was: permission denied`)
}

// TestTakingTheDirectoryOfAnIgnoredFile replaces a directory that still holds
// something the patch does not remove.
func TestTakingTheDirectoryOfAnIgnoredFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gittest.Init(t, dir)
	base := gittest.Tree{".gitignore": file("*.log\n"), "d/x": file("x\n"), "d/y.log": file("y\n")}
	base.Write(t, dir)
	gittest.Run(t, dir, "add", "-A")
	result := gittest.Tree{".gitignore": file("*.log\n"), "d": file("a file\n")}
	patch := diff(t, take(t, dir), holding(result))
	assert.DeepEqual(t, paths(patch), []string{"d d/x"})
	gittest.Apply(t, base, patch.Bytes)
}

func TestCostlyRules(t *testing.T) {
	t.Parallel()
	tree := gittest.Tree{".gitignore": file(strings.Repeat("a\n", 30_000)), "b": file("b")}
	patch := diff(t, taken(t, gittest.Tree{}), holding(tree))
	assert.DeepEqual(t, paths(patch), []string{"a .gitignore", "a b"})
	assert.Assert(t, cmp.Contains(strings.Join(patch.Notes, "\n"), `the rules in ".gitignore" do not count`))
}

func TestNotesAreBounded(t *testing.T) {
	t.Parallel()
	src, problem := &memory{}, strings.Repeat("e\n", 1<<15)
	for i := range 5000 {
		p := fmt.Sprintf("%d\n%s", i, strings.Repeat("p", 200))
		src.listed = append(src.listed, workspace.Found{Entry: workspace.Entry{Path: p, Kind: workspace.File}, Problem: problem})
	}
	patch := diff(t, taken(t, gittest.Tree{}), src)
	size := 0
	for _, n := range patch.Notes {
		assert.Assert(t, !strings.Contains(n, "\n"))
		size += len(n)
	}
	assert.Assert(t, size < 100_000)
}
