package agents

import (
	"archive/tar"
	"context"
	"fmt"
	"io"
	"os"

	"drydock/internal/scratch"
	"drydock/runtime/workspace"
	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// spool is a file without a name that holds the workspace as it went in. It is
// beside the run, where there is room for runs, and not in a temporary
// directory, which may be memory. Having no name, it is gone with the process.
func (s *Session) spool() (*os.File, error) {
	f, err := scratch.File(s.Dir.Path)
	if err != nil {
		return nil, fmt.Errorf("spool the workspace: %w", err)
	}
	return f, nil
}

// snapshot takes the directory of the run, or nothing.
func (s *Session) snapshot(ctx context.Context, spool *os.File) (*workspace.Snapshot, error) {
	if s.Repo == "" {
		return workspace.Empty(spool)
	}
	base, err := workspace.Take(ctx, s.Repo, spool, s.Limits)
	if err != nil {
		return nil, err
	}
	for _, w := range base.Warnings {
		s.warn(fmt.Errorf("workspace: %s", w))
	}
	return base, nil
}

// result is the workspace of a sandbox as the patch is made from it.
type result struct {
	box *sandbox.Sandbox
	dir string
}

// Walk shows what the sandbox says is there.
func (r result) Walk(ctx context.Context, visit func(workspace.Found) error) error {
	return r.box.Walk(ctx, r.dir, func(e wire.WalkEntry) error {
		found := workspace.Found{Problem: e.Err}
		found.Path, found.Kind, found.Mode = string(e.Path), kinds[e.Kind], e.Mode
		found.Size, found.Target = e.Size, string(e.Target)
		copy(found.SHA256[:], e.Sum)
		return visit(found)
	})
}

// kinds are the letters of a walk; any other is workspace.Other.
var kinds = map[string]workspace.Kind{"f": workspace.File, "d": workspace.Dir, "l": workspace.Symlink}

// Fetch shows the content of regular files.
func (r result) Fetch(ctx context.Context, paths []string, visit func(path string, content io.Reader) error) error {
	return r.box.CopyOut(ctx, r.dir, paths, func(h *tar.Header, content io.Reader) error {
		if h.Typeflag != tar.TypeReg {
			return nil
		}
		return visit(h.Name, content)
	})
}
