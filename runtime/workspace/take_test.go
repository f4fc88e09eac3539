package workspace_test

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/assert/cmp"

	"drydock/runtime/workspace"
	"drydock/runtime/workspace/internal/gittest"
)

// extract unpacks a snapshot the plain way.
func extract(t *testing.T, snap *workspace.Snapshot) string {
	t.Helper()
	dir := t.TempDir()
	archive, size := snap.Tar()
	counted := &io.LimitedReader{R: archive, N: size}
	for tr := tar.NewReader(counted); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return dir
		}
		assert.NilError(t, err)
		assert.Equal(t, h.Uid, 1000)
		assert.Equal(t, h.Gid, 1000)
		p := filepath.Join(dir, h.Name)
		switch h.Typeflag {
		case tar.TypeDir:
			assert.NilError(t, os.Mkdir(p, 0o700))
		case tar.TypeSymlink:
			assert.NilError(t, os.Symlink(h.Linkname, p))
		default:
			assert.Equal(t, h.Typeflag, byte(tar.TypeReg))
			data, err := io.ReadAll(tr)
			assert.NilError(t, err)
			assert.NilError(t, os.WriteFile(p, data, os.FileMode(h.Mode)))
		}
	}
}

// TestTakeRoundTrip takes random trees and unpacks them again.
func TestTakeRoundTrip(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		r := gittest.NewRandom(seed)
		tree := r.Tree(40)
		snap := taken(t, tree)
		assert.DeepEqual(t, gittest.Read(t, extract(t, snap)), tree)
		assert.Equal(t, len(snap.Warnings), 0)
		assert.Equal(t, len(diff(t, snap, holding(tree)).Bytes), 0)
	}
}

func TestTakeKeepsNamesModesAndTimes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	long := strings.Repeat(strings.Repeat("d", 200)+"/", 3) + "file"
	large := strings.Repeat("0123456789abcdef", 20_000)
	gittest.Tree{
		"new\nline": file("a"), "bad \xff\xfe": file("b"), "-dash": file("c"), "ünï": link("no\xffwhere\n"), long: file("l"),
		"ro": file("r"), "suid": {Data: "s", Exec: true}, "large": file(large), "empty": file(""), "abs": link("/etc/passwd"), "up": link("../../x"),
	}.Write(t, dir)
	assert.NilError(t, os.MkdirAll(dir+"/empty dir/inner", 0o750))
	assert.NilError(t, os.Chmod(dir+"/ro", 0o440))
	assert.NilError(t, os.Chmod(dir+"/suid", os.ModeSetuid|os.ModeSetgid|os.ModeSticky|0o755))
	when := time.Unix(1_000_000_000, 999)
	assert.NilError(t, os.Chtimes(dir+"/ro", when, when))
	snap := take(t, dir)

	assert.DeepEqual(t, gittest.Read(t, extract(t, snap)), gittest.Read(t, dir))
	assert.Equal(t, snap.Len(), 11+2+3)
	for p, mode := range map[string]int64{"ro": 0o440, "suid": 0o755, "empty dir/inner/": 0o750, "empty dir/": 0o750} {
		assert.Equal(t, header(t, snap, p).Mode, mode, p)
	}
	assert.Assert(t, header(t, snap, "ro").ModTime.Equal(when.Truncate(time.Second)))
	e, ok := snap.Entry("new\nline")
	assert.Assert(t, ok && e.Kind == workspace.File && e.Size == 1)
	_, ok = snap.Entry("none")
	assert.Assert(t, !ok)
}

func header(t *testing.T, snap *workspace.Snapshot, name string) *tar.Header {
	t.Helper()
	archive, _ := snap.Tar()
	for tr := tar.NewReader(archive); ; {
		h, err := tr.Next()
		assert.NilError(t, err, name)
		if h.Name == name {
			return h
		}
	}
}

func TestTakeLeavesOutSpecialFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gittest.Tree{"a": file("1")}.Write(t, dir)
	assert.NilError(t, syscall.Mkfifo(dir+"/fifo", 0o600))
	l, err := net.Listen("unix", dir+"/s")
	assert.NilError(t, err)
	defer l.Close()
	snap := take(t, dir)
	assert.Equal(t, snap.Len(), 1)
	assert.DeepEqual(t, snap.Warnings, []string{"left out 2 sockets, FIFOs or devices"})
}

func TestTakeWarnsOfUnreadable(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	dir := t.TempDir()
	gittest.Tree{"a": file("1"), "secret": file("2"), "d/x": file("3")}.Write(t, dir)
	assert.NilError(t, os.Chmod(dir+"/secret", 0))
	assert.NilError(t, os.Chmod(dir+"/d", 0))
	t.Cleanup(func() { _ = os.Chmod(dir+"/d", 0o700) })
	snap := take(t, dir)
	assert.DeepEqual(t, snap.Warnings, []string{`"d" was left out: permission denied`, `"secret" was left out: permission denied`})
}

func TestTakeLimits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gittest.Tree{"a": file("1"), "big/data/x": file(strings.Repeat("x", 3000)), "big/y": file("y"), "many/1": file(""), "many/2": file(""), "many/3": file("")}.Write(t, dir)
	for name, c := range map[string]struct {
		limits workspace.Limits
		want   string
	}{
		"bytes": {
			workspace.Limits{MaxBytes: 2048, Raise: "use --max-size"},
			"workspace " + dir + ` holds more than 2.0 KiB (at least 2.9 KiB); most is in "big/data" (2.9 KiB), "many" (0 B): use --max-size`,
		},
		"files": {
			workspace.Limits{MaxFiles: 5},
			"workspace " + dir + ` holds more than 5 files (at least 9); most is in "big" (3 files), "many" (3 files): raise the workspace limit or choose a smaller directory`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spool, err := os.Create(filepath.Join(t.TempDir(), "spool"))
			assert.NilError(t, err)
			defer spool.Close()
			_, err = workspace.Take(t.Context(), dir, spool, c.limits)
			var limit *workspace.LimitError
			assert.Assert(t, errors.As(err, &limit))
			assert.Error(t, err, c.want)
		})
	}
}

func TestTakeRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gittest.Tree{"file": file("1")}.Write(t, dir)
	spool, err := os.Create(filepath.Join(t.TempDir(), "spool"))
	assert.NilError(t, err)
	defer spool.Close()
	for _, p := range []string{dir + "/none", dir + "/file", dir + "/file/below"} {
		_, err := workspace.Take(t.Context(), p, spool, workspace.Limits{})
		var none *workspace.DirError
		assert.Assert(t, errors.As(err, &none), "%v", err)
		assert.Assert(t, cmp.Contains(err.Error(), p))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = workspace.Take(ctx, dir, spool, workspace.Limits{})
	assert.Assert(t, errors.Is(err, context.Canceled))
}

// TestTakeFollowsNoSymlink has links to what is outside, as a file, as a
// directory, and in place of a repository.
func TestTakeFollowsNoSymlink(t *testing.T) {
	t.Parallel()
	outside, dir := t.TempDir(), t.TempDir()
	gittest.Tree{"secret": file("secret"), ".git/HEAD": file("x")}.Write(t, outside)
	gittest.Tree{"f": link(outside + "/secret"), "d": link(outside), ".git": link(outside + "/.git"), "s/.git": link("../../x"), "t/.git": link("../u")}.Write(t, dir)
	snap := take(t, dir)
	_, ok := snap.Entry("d/secret")
	assert.Assert(t, !ok)
	assert.DeepEqual(t, snap.Warnings, []string{
		`".git" was left out: it leads to a repository outside`, `"s/.git" was left out: it leads to a repository outside`,
	})
	_, ok = snap.Entry("t/.git")
	assert.Assert(t, ok)
}

// A digest tells trees apart, but not two copies of one.
func TestDigest(t *testing.T) {
	t.Parallel()
	write := func(files map[string]string) string {
		dir := t.TempDir()
		for name, text := range files {
			path := filepath.Join(dir, name)
			assert.NilError(t, os.MkdirAll(filepath.Dir(path), 0o700))
			assert.NilError(t, os.WriteFile(path, []byte(text), 0o600))
		}
		return dir
	}
	digest := func(dir string) string { return take(t, dir).Digest() }
	tree := map[string]string{"a": "1", "b/c": "2"}
	first := write(tree)
	want := digest(first)
	assert.NilError(t, os.Chtimes(filepath.Join(first, "a"), time.Unix(1, 0), time.Unix(1, 0)))
	assert.Equal(t, digest(first), want)
	assert.Equal(t, digest(write(tree)), want)

	assert.NilError(t, os.Chmod(filepath.Join(first, "a"), 0o700))
	for _, other := range []string{
		first, write(map[string]string{"a": "1"}), write(map[string]string{"a": "2", "b/c": "2"}), write(map[string]string{"a": "1", "b/d": "2"}),
	} {
		assert.Assert(t, digest(other) != want)
	}
}
