package images

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// useFake puts an mmdebstrap that runs body first in PATH, on a host without
// apt, and returns the directory in which temporary files go.
func useFake(t *testing.T, body string) (tmp string) {
	bin, tmp := t.TempDir(), t.TempDir()
	for name, body := range map[string]string{"mmdebstrap": body, "apt-get": "exit 1", "apt-config": "exit 1"} {
		assert.NilError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755))
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("TMPDIR", tmp)
	return tmp
}

func isEmpty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	assert.NilError(t, err)
	assert.Equal(t, len(left), 0, "%v", left)
}

func bootstrapBase(ctx context.Context, t *testing.T, report func(Step)) rootfs {
	t.Helper()
	r, err := NewRecipe("base", "amd64")
	assert.NilError(t, err)
	tree, err := startBootstrap(ctx, r, report)
	assert.NilError(t, err)
	return tree
}

func TestABootstrapGivesItsTarAndLeavesNothing(t *testing.T) {
	tmp := useFake(t, `: >"$TMPDIR/left"; cat "$DRYDOCK_STAGE/setup.sh"; echo 'Unpacking git (1:2.39) ...' >&2`)
	var steps []Step
	tree := bootstrapBase(t.Context(), t, func(s Step) { steps = append(steps, s) })
	got, err := io.ReadAll(tree)
	assert.NilError(t, err)
	assert.Equal(t, string(got), string(mustFile("setup.sh")))
	assert.NilError(t, tree.Close())
	isEmpty(t, tmp)
	assert.DeepEqual(t, steps, []Step{{Stage: StageUnpack, Detail: "git", Current: 1}})
}

func TestABootstrapThatFailsSaysItsFirstComplaint(t *testing.T) {
	for _, tc := range []struct{ name, body, want string }{
		{"apt", "echo 'E: Unable to fetch x' >&2; echo 'E: run_apt failed' >&2; exit 1", "mmdebstrap: Unable to fetch x"},
		{
			"dpkg", "echo 'dpkg: error processing archive x.deb (--unpack):\n failed to write (No space left on device)' >&2; exit 1",
			"mmdebstrap: dpkg: error processing archive x.deb (--unpack): failed to write (No space left on device)",
		},
		{"silent", "echo half a tar; exit 3", "mmdebstrap: exit status 3"},
		{"endless line", "head -c 200000 /dev/zero >&2; exit 4", "mmdebstrap: exit status 4"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tmp := useFake(t, tc.body)
			tree := bootstrapBase(t.Context(), t, func(Step) {})
			_, err := io.ReadAll(tree)
			assert.Error(t, err, tc.want)
			assert.Error(t, tree.Close(), tc.want)
			isEmpty(t, tmp)
		})
	}
}

func TestAStoppedBootstrapIsGoneWithItsChildren(t *testing.T) {
	tmp := useFake(t, `echo 'Unpacking git (1:2.39) ...' >&2; sleep 600`)
	ctx, cancel := context.WithCancel(t.Context())
	tree := bootstrapBase(ctx, t, func(Step) { cancel() })
	_, err := io.ReadAll(tree) // the child holds stdout open until it dies
	assert.Assert(t, err != nil, "a tar that was cut short must not look complete")
	assert.Assert(t, tree.Close() != nil)
	isEmpty(t, tmp)
}

func TestClosingEarlyIsNoFailure(t *testing.T) {
	tmp := useFake(t, `yes`)
	tree := bootstrapBase(t.Context(), t, func(Step) {})
	_, err := io.ReadFull(tree, make([]byte, 10))
	assert.NilError(t, err)
	assert.NilError(t, tree.Close())
	isEmpty(t, tmp)
}

func TestWithoutMmdebstrapTheErrorSaysWhatToInstall(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	engine := &fakeEngine{pull: errNoRegistry}
	b := newTestBuilder(engine, nil)
	b.bootstrap = startBootstrap
	_, err := b.Build(t.Context(), "base", false, nil)
	isImageError(t, err)
	assert.Assert(t, errors.Is(err, errNoMmdebstrap))
	assert.ErrorContains(t, err, "apt-get install mmdebstrap")
}

func TestMmdebstrapGetsSourcesOfThisHostLast(t *testing.T) {
	r, err := NewRecipe("base", "aarch64")
	assert.NilError(t, err)
	args := mmdebstrapArgs(r, []string{"/etc/apt/sources.list.d/own.sources"})
	assert.Assert(t, slices.Contains(args, "--architectures=arm64"))
	assert.DeepEqual(t, args[len(args)-3:], []string{"bookworm", "-", "/etc/apt/sources.list.d/own.sources"})
}

func TestReachSettingsTakeOnlyWhatReachesAMirror(t *testing.T) {
	got := string(reachSettings("APT::Architecture \"amd64\";\nAcquire::http::Proxy \"http://p:3128\";\nAcquire::Retries \"3\";\nDir::State \"/x\";\n"))
	assert.Equal(t, got, "Acquire::http::Proxy \"http://p:3128\";\nAcquire::Retries \"3\";\n")
}

func TestSuiteFilesAreDebiansOwnOfThisSuite(t *testing.T) {
	const main, updates = "/a/debian.sources:1 bookworm Debian\n", "/a/debian.sources:2 bookworm-security Debian\n"
	for _, tc := range []struct {
		name, targets, want string
	}{
		{"the suite with its updates", main + updates, "/a/debian.sources"},
		{"another origin elsewhere is left out", main + "/a/docker.list:1 bookworm Docker\n", "/a/debian.sources"},
		{"another origin in the same file", main + "/a/debian.sources:3 bookworm Docker\n", ""},
		{"another release", "/a/debian.sources:1 trixie Debian\n", ""},
		{"updates alone", updates, ""},
		{"a password in it", "/secret:1 bookworm Debian\n", ""},
		{"garbage", "\n:\nx\n", ""},
	} {
		got := suiteFiles(tc.targets, func(file string) bool { return file != "/secret" })
		assert.Equal(t, strings.Join(got, " "), tc.want, tc.name)
	}
}
