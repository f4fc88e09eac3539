package workspace_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/assert/cmp"

	"drydock/runtime/workspace"
	"drydock/runtime/workspace/internal/gittest"
)

// apply writes a patch to a file and applies it to dir.
func apply(t *testing.T, dir string, patch []byte, opts workspace.ApplyOptions) error {
	t.Helper()
	name := filepath.Join(t.TempDir(), "patch.diff")
	assert.NilError(t, os.WriteFile(name, patch, 0o600))
	return workspace.Apply(t.Context(), dir, name, opts)
}

// everything is a change of each kind.
func everything() (base, result gittest.Tree) {
	base = gittest.Tree{
		"edited": file("1\n2\n3\n"), "gone": file("x\n"), "bin": file("a\x00b"), "old name": file("content\nof it\n"),
		"mode": file("m\n"), "crlf": file("1\r\n2\r\n"), "tail": file("no newline"), "link": link("edited"), "d/x": file("x\n"),
		"kept": file("k\n"), "become": file("file\n"), "binary gone": file("\x00"), "e/l": link("../kept"),
	}
	result = gittest.Tree{
		"edited": file("1\ntwo\n3\n"), "bin": file("a\x00c"), "new name": file("content\nof it\n"), "mode": {Data: "m\n", Exec: true},
		"crlf": file("1\r\n2\r\n3\n"), "tail": file("no newline still"), "link": link("kept"), "d": file("not a directory now\n"),
		"kept": file("k\n"), "become": link("kept"), "new\nline \xff": file("n\r\n"), "deep/er/new": file("trailing \n"), "empty": file(""),
		"e": link("kept"),
	}
	return base, result
}

// TestApply uses directories of all kinds, with configuration and attributes
// that would change bytes or run something.
func TestApply(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]func(t *testing.T, dir string) string{
		"no repository":             func(_ *testing.T, dir string) string { return dir },
		"top of a repository":       func(t *testing.T, dir string) string { gittest.Init(t, dir); return dir },
		"directory in a repository": func(t *testing.T, dir string) string { gittest.Init(t, dir); return filepath.Join(dir, "sub", "dir") },
		"ignored directory": func(t *testing.T, dir string) string {
			gittest.Init(t, dir)
			gittest.Tree{".gitignore": file("*\n")}.Write(t, dir)
			return filepath.Join(dir, "sub")
		},
		"attributes and configuration": func(t *testing.T, dir string) string {
			gittest.Init(t, dir)
			for _, c := range [][]string{
				{"core.autocrlf", "true"},
				{"core.eol", "crlf"},
				{"apply.whitespace", "fix"},
				{"core.fileMode", "false"},
				{"core.symlinks", "false"},
				{"filter.evil.clean", "touch " + dir + "/pwned; cat"},
				{"filter.evil.smudge", "touch " + dir + "/pwned; cat"},
				{"filter.evil.required", "true"},
				{"core.fsmonitor", "touch " + dir + "/pwned"},
			} {
				gittest.Run(t, dir, "config", c[0], c[1])
			}
			attributes := file("* text eol=crlf ident filter=evil\n")
			gittest.Tree{".gitattributes": attributes, ".git/info/attributes": attributes, "sub/.gitattributes": attributes}.Write(t, dir)
			return filepath.Join(dir, "sub")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			dir := place(t, top)
			base, result := everything()
			base.Write(t, dir)
			before := gittest.Read(t, dir)
			patch := diff(t, taken(t, base), holding(result))

			assert.NilError(t, apply(t, dir, patch.Bytes, workspace.ApplyOptions{DryRun: true}))
			assert.DeepEqual(t, gittest.Read(t, dir), before)
			assert.NilError(t, apply(t, dir, patch.Bytes, workspace.ApplyOptions{}))
			for p, f := range before {
				if _, ok := base[p]; !ok {
					result[p] = f
				}
			}
			assert.DeepEqual(t, gittest.Read(t, dir), result)
			_, err := os.Lstat(filepath.Join(top, "pwned"))
			assert.Assert(t, errors.Is(err, os.ErrNotExist))
		})
	}
}

// TestApplyAttributesOfThePatch brings attributes and the files they are for in
// one patch.
func TestApplyAttributesOfThePatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gittest.Init(t, dir)
	result := gittest.Tree{".gitattributes": file("* text eol=crlf\n"), "a": file("1\n"), "b": file("1\r\n")}
	assert.NilError(t, apply(t, dir, diff(t, &workspace.Snapshot{}, holding(result)).Bytes, workspace.ApplyOptions{}))
	assert.DeepEqual(t, gittest.Read(t, dir), result)
}

func TestApplyConflict(t *testing.T) {
	t.Parallel()
	base, result := everything()
	patch := diff(t, taken(t, base), holding(result)).Bytes
	for name, c := range map[string]struct {
		moved func(dir string) error // what the person did meanwhile
		files []string
	}{
		"edited there":        {func(dir string) error { return os.WriteFile(dir+"/edited", []byte("other\n"), 0o600) }, []string{"edited"}},
		"gone there":          {func(dir string) error { return os.Remove(dir + "/edited") }, []string{"edited"}},
		"binary edited there": {func(dir string) error { return os.WriteFile(dir+"/bin", []byte("other\x00"), 0o600) }, []string{"bin"}},
		"there already":       {func(dir string) error { return os.WriteFile(dir+"/empty", nil, 0o600) }, []string{"empty"}},
		"renamed there":       {func(dir string) error { return os.Rename(dir+"/old name", dir+"/own name") }, []string{"old name"}},
		"an odd name there":   {func(dir string) error { return os.WriteFile(dir+"/new\nline \xff", nil, 0o600) }, []string{"new\nline \xff"}},
		"two of them": {func(dir string) error {
			return errors.Join(os.Remove(dir+"/gone"), os.WriteFile(dir+"/tail", []byte("x"), 0o600))
		}, []string{"gone", "tail"}},
		"a symlink to a directory there": {func(dir string) error {
			return errors.Join(os.Mkdir(dir+"/other", 0o700), os.Symlink("other", dir+"/deep"))
		}, []string{"deep/er/new"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			base.Write(t, dir)
			assert.NilError(t, c.moved(dir))
			before := gittest.Read(t, dir)
			for _, dry := range []bool{true, false} {
				err := apply(t, dir, patch, workspace.ApplyOptions{DryRun: dry})
				var conflict *workspace.ConflictError
				assert.Assert(t, errors.As(err, &conflict), "%v", err)
				assert.DeepEqual(t, conflict.Files, c.files)
				assert.Assert(t, !strings.Contains(err.Error(), "\n"))
				assert.DeepEqual(t, gittest.Read(t, dir), before)
			}
		})
	}
}

func TestConflictErrorIsOneLine(t *testing.T) {
	t.Parallel()
	err := &workspace.ConflictError{Dir: "/d", Files: []string{"a", "b\n", "c", "d", "e", "f", "g"}}
	assert.Error(t, err, `the patch does not fit /d any more, so nothing was changed: "a", "b\n", "c", "d", "e" and 2 more`)
}

func TestApplyTwiceConflicts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	patch := diff(t, &workspace.Snapshot{}, holding(gittest.Tree{"a": file("1\n")})).Bytes
	assert.NilError(t, apply(t, dir, patch, workspace.ApplyOptions{}))
	var conflict *workspace.ConflictError
	assert.Assert(t, errors.As(apply(t, dir, patch, workspace.ApplyOptions{}), &conflict))
}

func TestApplyNothing(t *testing.T) {
	t.Parallel()
	assert.NilError(t, apply(t, t.TempDir(), nil, workspace.ApplyOptions{}))
}

func TestApplyRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	patch := diff(t, &workspace.Snapshot{}, holding(gittest.Tree{"a": file("1\n")})).Bytes
	var none *workspace.DirError
	assert.Assert(t, errors.As(apply(t, dir+"/none", patch, workspace.ApplyOptions{}), &none))
	assert.NilError(t, os.WriteFile(dir+"/file", nil, 0o600))
	assert.Assert(t, errors.As(apply(t, dir+"/file", patch, workspace.ApplyOptions{}), &none))
	err := workspace.Apply(t.Context(), dir, dir+"/none", workspace.ApplyOptions{})
	assert.Assert(t, errors.Is(err, os.ErrNotExist))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	name := filepath.Join(t.TempDir(), "p")
	assert.NilError(t, os.WriteFile(name, patch, 0o600))
	assert.Assert(t, errors.Is(workspace.Apply(ctx, dir, name, workspace.ApplyOptions{}), context.Canceled))
}

func TestApplyWithoutGit(t *testing.T) {
	patch := diff(t, &workspace.Snapshot{}, holding(gittest.Tree{"a": file("1\n")})).Bytes
	t.Setenv("PATH", t.TempDir())
	err := apply(t, t.TempDir(), patch, workspace.ApplyOptions{})
	assert.Assert(t, errors.Is(err, exec.ErrNotFound))
	assert.Assert(t, cmp.Contains(err.Error(), "apply needs git"))
}
