package agents

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"time"

	"drydock/runtime"
	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// artifactLimit bounds getting the artifacts out, also of a run that was
// interrupted.
const artifactLimit = 2 * time.Minute

// artifactBatch is how many files are asked for at a time.
const artifactBatch = 1000

// maxReasons bounds the skipped entries that an event names.
const maxReasons = 20

// takeArtifacts copies what the person asked for into the run's directory. One
// that is missing is worth a warning; what the host's disk has against them, or
// an outcome without them, is an error.
func (s *Session) takeArtifacts(ctx context.Context, box *sandbox.Sandbox) error {
	if len(s.Artifacts) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), artifactLimit)
	defer cancel()
	root, err := os.OpenRoot(s.Dir.Path)
	if err != nil {
		return err
	}
	defer root.Close()
	a := artifacts{box: box, out: sandbox.NewExtractor(root, runtime.ArtifactsDir, s.Policy.ArtifactLimits()), most: s.Policy.OutFiles}
	for _, p := range s.Artifacts {
		err := a.take(ctx, p)
		var call *sandbox.CallError
		if errors.As(err, &call) {
			s.warn(fmt.Errorf("artifact %q: %w", p, call))
		} else if err != nil {
			return err
		}
	}
	s.emit(describeArtifacts(s.Dir.File(runtime.ArtifactsDir), a.out.Report()))
	return nil
}

func describeArtifacts(path string, got sandbox.Extracted) runtime.ArtifactsReady {
	ready := runtime.ArtifactsReady{Path: path, Files: len(got.Written), Bytes: got.Bytes, Skipped: got.Missed}
	for _, e := range got.Skipped[:min(len(got.Skipped), maxReasons)] {
		ready.Reasons = append(ready.Reasons, fmt.Sprintf("%q: %s", e.Path, e.Reason))
	}
	return ready
}

// artifacts copies files of a sandbox out.
type artifacts struct {
	box  *sandbox.Sandbox
	out  *sandbox.Extractor
	most int // files that are asked for at most, all together
}

// take copies a file, or all files below a directory.
func (a *artifacts) take(ctx context.Context, p string) error {
	root, name := a.place(p)
	full := path.Join(root, name)
	_, _, err := a.box.ReadFile(ctx, full, 0)
	var call *sandbox.CallError
	names := []string{name}
	if errors.As(err, &call) && call.Code == wire.CodeIsDir {
		names, err = a.list(ctx, full, name)
	}
	if err != nil {
		return err
	}
	for len(names) > 0 {
		batch := names[:min(len(names), artifactBatch)]
		names = names[len(batch):]
		if err := a.box.CopyOut(ctx, root, batch, func(h *tar.Header, content io.Reader) error { return a.out.Add(h, content) }); err != nil {
			return err
		}
	}
	return nil
}

// place splits a path where the copy's name begins: below the workspace, or
// below the root for what is elsewhere.
func (a *artifacts) place(p string) (root, name string) {
	workdir := path.Clean(a.box.Policy().Workdir)
	if !path.IsAbs(p) {
		p = path.Join(workdir, p)
	}
	p = path.Clean(p)
	if below, ok := strings.CutPrefix(p, strings.TrimSuffix(workdir, "/")+"/"); ok {
		return workdir, below
	}
	if p == workdir {
		return workdir, "."
	}
	return "/", strings.TrimPrefix(p, "/")
}

// list names the files below a directory. A directory that has nothing in it is
// asked for itself, and so is a link, to be skipped with its reason.
func (a *artifacts) list(ctx context.Context, full, name string) ([]string, error) {
	var names []string
	empty := true
	err := a.box.Walk(ctx, full, func(e wire.WalkEntry) error {
		empty = false
		p := path.Join(name, string(e.Path))
		switch {
		case e.Err != "":
			a.out.Skip(p, "it could not be read: "+e.Err)
		case e.Kind == "d":
		case e.Kind == "l":
			a.out.Skip(p, "it is a symbolic link")
		case e.Kind != "f":
			a.out.Skip(p, "it is no regular file")
		case a.most == 0:
			a.out.Skip(p, fmt.Sprintf("the limit of %d files is reached", a.box.Policy().OutFiles))
		default:
			a.most--
			names = append(names, p)
		}
		return nil
	})
	if empty && name != "." {
		names = append(names, name)
	}
	return names, err
}
