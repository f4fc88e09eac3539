package images

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/docker"
)

var errNoRegistry = errors.New("no such host")

// fakeEngine keeps images in memory. The fields say how its calls fail.
type fakeEngine struct {
	pull, build, inspect error
	silent               bool // the registry never answers
	arch                 string

	mu     sync.Mutex
	images map[string]docker.Image
	calls  []string
}

func (f *fakeEngine) note(call string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, call)
}

// put makes ref an image with the labels of a recipe.
func (f *fakeEngine) put(ref string, labels map[string]string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.images == nil {
		f.images = map[string]docker.Image{}
	}
	f.images[ref] = docker.Image{ID: "sha256:" + ref, Reference: ref, Architecture: f.arch, Labels: labels}
}

func (f *fakeEngine) InspectImage(_ context.Context, ref string) (docker.Image, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.inspect != nil {
		return docker.Image{}, f.inspect
	}
	img, ok := f.images[ref]
	if !ok {
		return docker.Image{}, &sandbox.ImageError{Image: ref, Err: docker.ErrImageMissing}
	}
	return img, nil
}

func (f *fakeEngine) PullImage(ctx context.Context, ref string, report func(docker.PullProgress)) error {
	f.note("pull " + ref)
	if f.silent {
		<-ctx.Done()
		return ctx.Err()
	}
	if f.pull != nil {
		return &sandbox.ImageError{Image: ref, Err: f.pull}
	}
	report(docker.PullProgress{Status: "Downloading", Current: 1, Total: 2})
	f.put(ref, nil)
	return nil
}

func (f *fakeEngine) BuildImage(_ context.Context, spec docker.ImageBuild, output func(string)) error {
	f.note("build " + spec.Ref)
	output("E: Unable to locate package nosuch")
	if f.build != nil {
		return &sandbox.ImageError{Image: spec.Ref, Err: f.build}
	}
	f.put(spec.Ref, spec.Labels)
	return nil
}

// ImportImage takes the labels from the changes, as an engine does.
func (f *fakeEngine) ImportImage(_ context.Context, spec docker.ImageImport) error {
	f.note("import " + spec.Ref)
	if _, err := io.Copy(io.Discard, spec.Rootfs); err != nil {
		return &sandbox.ImageError{Image: spec.Ref, Err: errors.New("unexpected EOF")}
	}
	labels := map[string]string{}
	for _, change := range spec.Changes {
		if label, ok := strings.CutPrefix(change, "LABEL "); ok {
			key, value, _ := strings.Cut(label, "=")
			labels[key] = strings.Trim(value, `"`)
		}
	}
	f.put(spec.Ref, labels)
	return nil
}

// tree is a root file system that ends as it is told to.
type tree struct {
	io.Reader
	end error
}

func (t tree) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	if err != nil && t.end != nil {
		err = t.end
	}
	return n, err
}

func (t tree) Close() error { return t.end }

// newTestBuilder has a bootstrap that ends with bootErr.
func newTestBuilder(engine *fakeEngine, bootErr error) *Builder {
	return &Builder{
		engine: engine, arch: "amd64", version: "1.2.3", registryLimit: 20 * time.Millisecond,
		bootstrap: func(context.Context, Recipe, func(Step)) (rootfs, error) {
			return tree{strings.NewReader("a tar"), bootErr}, nil
		},
	}
}

func isImageError(t *testing.T, err error) {
	t.Helper()
	var imageErr *sandbox.ImageError
	assert.Assert(t, errors.As(err, &imageErr), "%T: %v", err, err)
	assert.Assert(t, !strings.Contains(err.Error(), "\n"), "%v", err)
}
