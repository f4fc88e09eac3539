package gittest

import (
	"os"
	"path/filepath"
	"sort"
	"testing"
)

// File is a file of a tree: its content, or the target of a link.
type File struct {
	Data string
	Exec bool
	Link bool
}

// Tree maps slash-separated paths to files.
type Tree map[string]File

// Paths lists the files in byte order.
func (t Tree) Paths() []string {
	paths := make([]string, 0, len(t))
	for p := range t {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	return paths
}

// Clone copies the tree.
func (t Tree) Clone() Tree {
	c := make(Tree, len(t))
	for p, f := range t {
		c[p] = f
	}
	return c
}

// Write puts the files under dir.
func (t Tree) Write(tb testing.TB, dir string) {
	tb.Helper()
	for _, p := range t.Paths() {
		if err := writeFile(dir+"/"+p, t[p]); err != nil {
			tb.Fatal(err)
		}
	}
}

func writeFile(name string, f File) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if f.Link {
		return os.Symlink(f.Data, name)
	}
	mode := os.FileMode(0o644)
	if f.Exec {
		mode = 0o755
	}
	return os.WriteFile(name, []byte(f.Data), mode)
}
