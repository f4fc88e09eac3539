// Package gittest runs the real git for tests, away from the configuration of
// the person who runs them, and makes random trees and edits to feed it.
package gittest

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Run runs git in dir and returns what it printed. The test fails when git
// does, or when there is none.
func Run(tb testing.TB, dir string, args ...string) []byte {
	tb.Helper()
	out, stderr, err := Try(dir, "", args...)
	if err != nil {
		tb.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, stderr)
	}
	return out
}

// Try runs git in dir with the given standard input.
func Try(dir, stdin string, args ...string) (stdout, stderr []byte, err error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
	}
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	err = cmd.Run()
	return o.Bytes(), e.Bytes(), err
}

// Init makes an empty repository in dir.
func Init(tb testing.TB, dir string) {
	tb.Helper()
	Run(tb, dir, "-c", "init.defaultBranch=main", "init", "-q", "--template=")
}

// CountsLastLine tells whether the git at hand counts an unterminated last line
// when it rates how alike two files are, as it does since 2.44.
func CountsLastLine(tb testing.TB) bool {
	tb.Helper()
	m := regexp.MustCompile(`(\d+)\.(\d+)`).FindStringSubmatch(string(Run(tb, "/", "--version")))
	if m == nil {
		tb.Fatal("git tells no version")
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	return major > 2 || major == 2 && minor >= 44
}

// Diff is what git prints for the change from base to result.
func Diff(tb testing.TB, base, result Tree) []byte {
	tb.Helper()
	dir := tb.TempDir()
	Init(tb, dir)
	base.Write(tb, dir)
	Run(tb, dir, "add", "-A", "-f")
	tree := strings.TrimSpace(string(Run(tb, dir, "write-tree")))
	Clear(tb, dir)
	result.Write(tb, dir)
	Run(tb, dir, "add", "-A", "-f")
	return Run(tb, dir, "diff", "--cached", "--binary", tree)
}

// Apply applies patch to a fresh copy of base with the real git and returns
// what is there then.
func Apply(tb testing.TB, base Tree, patch []byte) Tree {
	tb.Helper()
	dir := tb.TempDir()
	base.Write(tb, dir)
	if len(patch) > 0 {
		if _, stderr, err := Try(dir, string(patch), "apply", "--whitespace=nowarn"); err != nil {
			tb.Fatalf("git apply: %v\n%s", err, stderr)
		}
	}
	return Read(tb, dir)
}

// Applies says whether git can apply patch to base.
func Applies(tb testing.TB, base Tree, patch []byte) bool {
	tb.Helper()
	dir := tb.TempDir()
	base.Write(tb, dir)
	_, _, err := Try(dir, string(patch), "apply", "--check", "--whitespace=nowarn")
	return err == nil || len(patch) == 0
}

// Clear removes everything from dir but its repository.
func Clear(tb testing.TB, dir string) {
	tb.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() == ".git" {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			tb.Fatal(err)
		}
	}
}

// Read reads dir without its repository. Empty directories do not count.
func Read(tb testing.TB, dir string) Tree {
	tb.Helper()
	t := Tree{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(strings.TrimPrefix(p, dir), "/")
		if d.IsDir() {
			if d.Name() == ".git" {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		f := File{Exec: info.Mode()&0o100 != 0}
		if info.Mode()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(p)
			if err != nil {
				return err
			}
			t[rel] = File{Link: true, Data: target}
			return nil
		}
		data, err := os.ReadFile(p)
		f.Data = string(data)
		t[rel] = f
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}
