package workspace_test

import (
	"context"
	"crypto/sha256"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime/workspace"
	"drydock/runtime/workspace/internal/gittest"
)

// memory is a Source that holds its workspace in memory. What it lists and what
// it delivers can be told to differ.
type memory struct {
	listed  []workspace.Found
	content map[string]string
	deliver func(path string) io.Reader // instead of content
	fetched []string
}

func (m *memory) Walk(_ context.Context, visit func(workspace.Found) error) error {
	for _, f := range m.listed {
		if err := visit(f); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) Fetch(_ context.Context, paths []string, visit func(string, io.Reader) error) error {
	m.fetched = append(m.fetched, paths...)
	for _, p := range paths {
		var r io.Reader = strings.NewReader(m.content[p])
		if m.deliver != nil {
			r = m.deliver(p)
		} else if _, ok := m.content[p]; !ok {
			continue
		}
		if err := visit(p, r); err != nil {
			return err
		}
	}
	return nil
}

// holding is a source with the files of a tree.
func holding(tree gittest.Tree) *memory {
	m := &memory{content: map[string]string{}}
	for _, p := range tree.Paths() {
		m.add(p, tree[p])
	}
	return m
}

func (m *memory) add(p string, f gittest.File) *memory {
	e := workspace.Entry{Path: p, Kind: workspace.File, Mode: 0o644, Size: int64(len(f.Data)), SHA256: sha256.Sum256([]byte(f.Data))}
	switch {
	case f.Link:
		e = workspace.Entry{Path: p, Kind: workspace.Symlink, Mode: 0o777, Target: f.Data}
	case f.Exec:
		e.Mode = 0o755
	}
	if !f.Link {
		m.content[p] = f.Data
	}
	return m.addEntry(e)
}

func (m *memory) addEntry(e workspace.Entry) *memory {
	m.listed = append(m.listed, workspace.Found{Entry: e})
	return m
}

// take makes a snapshot of dir.
func take(t *testing.T, dir string) *workspace.Snapshot {
	t.Helper()
	spool, err := os.Create(filepath.Join(t.TempDir(), "spool"))
	assert.NilError(t, err)
	t.Cleanup(func() { _ = spool.Close() })
	snap, err := workspace.Take(t.Context(), dir, spool, workspace.Limits{})
	assert.NilError(t, err)
	return snap
}

// taken makes a snapshot of the files of a tree.
func taken(t *testing.T, tree gittest.Tree) *workspace.Snapshot {
	t.Helper()
	dir := t.TempDir()
	tree.Write(t, dir)
	return take(t, dir)
}

func diff(t *testing.T, snap *workspace.Snapshot, src workspace.Source) workspace.Patch {
	t.Helper()
	patch, err := workspace.Diff(t.Context(), snap, src, workspace.PatchLimits{})
	assert.NilError(t, err)
	return patch
}

// paths lists what a patch is about, a letter of what happened before each.
func paths(p workspace.Patch) []string {
	out := []string{}
	for _, f := range p.Files {
		name := string(f.Kind[:1]) + " " + f.Path
		if f.OldPath != "" {
			name = "r " + f.OldPath + " > " + f.Path
		}
		out = append(out, name)
	}
	return out
}

func file(data string) gittest.File { return gittest.File{Data: data} }

func link(target string) gittest.File { return gittest.File{Data: target, Link: true} }
