package gitindex_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime/workspace/gitindex"
	"drydock/runtime/workspace/internal/gittest"
)

func readIndex(t *testing.T, dir string, hashSize int) gitindex.Index {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, ".git/index"))
	assert.NilError(t, err)
	idx, err := gitindex.Parse(data, hashSize)
	assert.NilError(t, err)
	return idx
}

func sample() gittest.Tree {
	t := gittest.Tree{
		"a": {Data: "1"}, "a.txt": {Data: "2"}, "dir/x y": {Data: "3", Exec: true},
		"dir/sub/ünï": {Data: "4"}, "link": {Data: "a", Link: true},
		strings.Repeat("long/", 30) + "f": {Data: "5"}, "new\nline": {Data: "6"}, "\xff": {Data: "7"},
	}
	for i := range 300 {
		t[fmt.Sprintf("many/%s/file%d", strings.Repeat("x", i%9), i)] = gittest.File{Data: "x"}
	}
	delete(t, "many//file0")
	return t
}

func TestVersions(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2", "3", "4"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			dir, tree := t.TempDir(), sample()
			for i := range 300 {
				delete(tree, fmt.Sprintf("many//file%d", i))
			}
			gittest.Init(t, dir)
			tree.Write(t, dir)
			gittest.Run(t, dir, "-c", "index.version="+version, "add", "-A")
			if version == "3" { // an intent to add needs the extended flags
				assert.NilError(t, os.WriteFile(filepath.Join(dir, "later"), nil, 0o600))
				gittest.Run(t, dir, "add", "-N", "later")
				tree["later"] = gittest.File{}
			}
			assert.DeepEqual(t, readIndex(t, dir, 20).Paths, tree.Paths())
		})
	}
}

func TestSHA256(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gittest.Run(t, dir, "init", "-q", "--object-format=sha256")
	gittest.Tree{"a": {Data: "1"}, "b/c": {Data: "2"}}.Write(t, dir)
	gittest.Run(t, dir, "add", "-A")
	assert.DeepEqual(t, readIndex(t, dir, 32).Paths, []string{"a", "b/c"})
}

func TestSubmodule(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gittest.Init(t, dir)
	id := strings.Repeat("1", 40)
	gittest.Run(t, dir, "update-index", "--add", "--cacheinfo", "160000,"+id+",sub")
	idx := readIndex(t, dir, 20)
	assert.DeepEqual(t, idx.Submodules, []string{"sub"})
	assert.Equal(t, len(idx.Paths), 0)
}

func TestSplitIndex(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gittest.Init(t, dir)
	gittest.Tree{"a": {Data: "1"}, "b": {Data: "2"}}.Write(t, dir)
	gittest.Run(t, dir, "add", "-A")
	gittest.Run(t, dir, "update-index", "--split-index")
	idx := readIndex(t, dir, 20)
	_, err := os.Stat(filepath.Join(dir, ".git/sharedindex."+idx.SharedID))
	assert.NilError(t, err)
}

func TestNotAnIndex(t *testing.T) {
	t.Parallel()
	end := strings.Repeat("\x00", 20)
	entry := strings.Repeat("\x00", 62)
	for name, data := range map[string]string{
		"empty":             "",
		"text":              "hello, this is not an index at all, it is text",
		"header only":       "DIRC\x00\x00\x00\x02",
		"version 1":         "DIRC\x00\x00\x00\x01\x00\x00\x00\x00" + end,
		"version 5":         "DIRC\x00\x00\x00\x05\x00\x00\x00\x00" + end,
		"four billion":      "DIRC\x00\x00\x00\x02\xff\xff\xff\xff" + entry + "a\x00" + end,
		"no NUL":            "DIRC\x00\x00\x00\x02\x00\x00\x00\x01" + entry + "abc",
		"prefix of nothing": "DIRC\x00\x00\x00\x04\x00\x00\x00\x01" + entry + "\x05a\x00" + end,
		"endless prefix":    "DIRC\x00\x00\x00\x04\x00\x00\x00\x01" + entry + strings.Repeat("\xff", 60) + end,
		"path of 5 KB":      "DIRC\x00\x00\x00\x02\x00\x00\x00\x01" + entry + strings.Repeat("a", 5000) + "\x00" + end,
		"long extension":    "DIRC\x00\x00\x00\x02\x00\x00\x00\x00TREE\xff\xff\xff\xff" + end,
		"unknown extension": "DIRC\x00\x00\x00\x02\x00\x00\x00\x00what\x00\x00\x00\x00" + end,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := gitindex.Parse([]byte(data), 20)
			assert.Assert(t, errors.Is(err, gitindex.ErrFormat), "%v", err)
		})
	}
}

// TestCutAnywhere gives every prefix of a true index to the parser.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gittest.Init(t, dir)
	gittest.Tree{"a": {Data: "1"}, "dir/b": {Data: "2"}, "dir/c": {Data: "3"}}.Write(t, dir)
	gittest.Run(t, dir, "-c", "index.version=4", "add", "-A")
	data, err := os.ReadFile(filepath.Join(dir, ".git/index"))
	assert.NilError(t, err)
	for n := range data {
		_, _ = gitindex.Parse(data[:n], 20) // must only return
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x01"+strings.Repeat("\x00", 62)+"a\x00"+strings.Repeat("\x00", 27)), false)
	f.Add([]byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x01"+strings.Repeat("\x00", 74)+"\x00a\x00"+strings.Repeat("\x00", 32)), true)
	f.Fuzz(func(t *testing.T, data []byte, sha256 bool) {
		size := 20
		if sha256 {
			size = 32
		}
		idx, err := gitindex.Parse(data, size)
		if err != nil {
			assert.Assert(t, errors.Is(err, gitindex.ErrFormat))
		}
		for _, p := range idx.Paths {
			assert.Assert(t, p != "" && len(p) <= gitindex.MaxPathLen && !strings.Contains(p, "\x00"))
		}
	})
}
