package images

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
)

func TestBuildTakesTheWayThatIsOpen(t *testing.T) {
	const fromDebian, build, boot = "pull debian:bookworm-slim", "build drydock/base:latest", "import drydock/base:latest"
	for _, tc := range []struct {
		name   string
		engine *fakeEngine
		calls  []string
	}{
		{name: "a registry answers", engine: &fakeEngine{}, calls: []string{fromDebian, build}},
		{name: "no registry", engine: &fakeEngine{pull: errNoRegistry}, calls: []string{fromDebian, boot}},
		{name: "a silent registry", engine: &fakeEngine{silent: true}, calls: []string{fromDebian, boot}},
		{
			name: "containers cannot reach the mirror", engine: &fakeEngine{build: errors.New("exit code 100")},
			calls: []string{fromDebian, build, boot},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			result, err := newTestBuilder(tc.engine, nil).Build(t.Context(), "base", false, nil)
			assert.NilError(t, err)
			assert.Assert(t, result.Built)
			assert.DeepEqual(t, tc.engine.calls, tc.calls)
			recipe, err := NewRecipe("base", "amd64")
			assert.NilError(t, err)
			assert.DeepEqual(t, result.Image.Labels, map[string]string{
				LabelImage: "base", LabelVersion: "1.2.3", LabelDigest: recipe.Digest,
			})
		})
	}
}

func TestADebianImageThatIsThereServesWithoutARegistry(t *testing.T) {
	engine := &fakeEngine{pull: errNoRegistry}
	engine.put("debian:bookworm-slim", nil)
	_, err := newTestBuilder(engine, nil).Build(t.Context(), "base", false, nil)
	assert.NilError(t, err)
	assert.Assert(t, slices.Contains(engine.calls, "build drydock/base:latest"))
}

func TestBuildMakesAnImageAgainOnlyWhenItsRecipeChanged(t *testing.T) {
	for _, tc := range []struct {
		name  string
		force bool
		spoil bool
		again bool
	}{
		{name: "nothing changed"},
		{name: "forced", force: true, again: true},
		{name: "another package list", spoil: true, again: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			engine := &fakeEngine{pull: errNoRegistry}
			b := newTestBuilder(engine, nil)
			_, err := b.Build(t.Context(), "data", false, nil)
			assert.NilError(t, err)
			if tc.spoil {
				engine.put("drydock/data:latest", map[string]string{LabelDigest: "of another list"})
			}
			before := len(engine.calls)
			result, err := b.Build(t.Context(), "data", tc.force, nil)
			assert.NilError(t, err)
			assert.Equal(t, result.Built, tc.again)
			assert.Equal(t, len(engine.calls) > before, tc.again)
		})
	}
}

func TestAFailedBuildSaysInOneLineWhatWasTriedAndLeavesNoImage(t *testing.T) {
	full := errors.New("mmdebstrap: No space left on device")
	for _, tc := range []struct {
		name   string
		engine *fakeEngine
		want   string
	}{
		{
			name: "no registry", engine: &fakeEngine{pull: errNoRegistry},
			want: "image drydock/base:latest: could not be built: no registry is in reach (no such host), and mmdebstrap: No space left on device",
		},
		{
			name: "a registry", engine: &fakeEngine{build: errors.New("exit code 100")},
			want: "image drydock/base:latest: could not be built: the build from the Dockerfile failed " +
				"(Unable to locate package nosuch: exit code 100), and mmdebstrap: No space left on device",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := newTestBuilder(tc.engine, full).Build(t.Context(), "base", false, nil)
			isImageError(t, err)
			assert.Error(t, err, tc.want)
			_, err = tc.engine.InspectImage(t.Context(), "drydock/base:latest")
			assert.ErrorContains(t, err, "is not on the engine")
		})
	}
}

func TestBuildEndsWithItsContextAndNeverBootstrapsThen(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	engine := &fakeEngine{silent: true}
	b := newTestBuilder(engine, nil)
	b.registryLimit = 1 << 40
	_, err := b.Build(ctx, "base", false, func(Step) { cancel() })
	assert.ErrorIs(t, err, context.Canceled)
	assert.DeepEqual(t, engine.calls, []string{"pull debian:bookworm-slim"})
}

func TestAnEngineThatIsGoneIsNotTheImagesFault(t *testing.T) {
	engine := &fakeEngine{inspect: &sandbox.EngineError{Op: "inspect image", Err: errors.New("connection refused")}}
	for _, ref := range []string{"base", "python:3.12"} {
		_, err := newTestBuilder(engine, nil).Ensure(t.Context(), ref, nil)
		var engineErr *sandbox.EngineError
		assert.Assert(t, errors.As(err, &engineErr), "%s: %v", ref, err)
	}
}

func TestConcurrentCallersBuildOnce(t *testing.T) {
	engine := &fakeEngine{}
	b := newTestBuilder(engine, nil)
	b.lockDir = t.TempDir()
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			_, err := b.Ensure(t.Context(), "base", nil)
			assert.Check(t, err)
		})
	}
	callers.Wait()
	assert.Equal(t, strings.Count(strings.Join(engine.calls, "\n"), "build "), 1)
}
