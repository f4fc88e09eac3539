package images

import (
	"errors"
	"testing"

	"gotest.tools/v3/assert"
)

func TestEnsureKnowsItsOwnImagesByEveryName(t *testing.T) {
	for _, ref := range []string{"base", "drydock/base", "drydock/base:latest"} {
		engine := &fakeEngine{pull: errNoRegistry}
		img, err := newTestBuilder(engine, nil).Ensure(t.Context(), ref, nil)
		assert.NilError(t, err)
		assert.Equal(t, img.Reference, "drydock/base:latest")
	}
}

func TestEnsureNeverPullsFromDrydocksOwnNamespace(t *testing.T) {
	for _, ref := range []string{"drydock/nosuch", "drydock/base:old", "drydock/"} {
		engine := &fakeEngine{}
		_, err := newTestBuilder(engine, nil).Ensure(t.Context(), ref, nil)
		isImageError(t, err)
		assert.ErrorContains(t, err, "its own are base and data")
		assert.Equal(t, len(engine.calls), 0)
	}
}

func TestEnsurePullsAForeignImageOnlyWhenItIsMissing(t *testing.T) {
	engine := &fakeEngine{}
	b := newTestBuilder(engine, nil)
	for range 2 {
		img, err := b.Ensure(t.Context(), "python:3.12", nil)
		assert.NilError(t, err)
		assert.Equal(t, img.Reference, "python:3.12")
	}
	assert.DeepEqual(t, engine.calls, []string{"pull python:3.12"})
}

func TestEnsureSaysWhyAForeignImageCannotBeHad(t *testing.T) {
	for want, engine := range map[string]*fakeEngine{
		"image no/such: is neither on the engine nor could it be pulled: no such host; " +
			"check the name, or load it yourself with docker pull or docker load": {pull: errNoRegistry},
		"image no/such: is neither on the engine nor could it be pulled: the registry does not answer for 20ms; " +
			"check the name, or load it yourself with docker pull or docker load": {silent: true},
	} {
		_, err := newTestBuilder(engine, nil).Ensure(t.Context(), "no/such", nil)
		isImageError(t, err)
		assert.Error(t, err, want)
	}
}

func TestAnOutdatedImageServesWithAWarningWhenItCannotBeRebuilt(t *testing.T) {
	engine := &fakeEngine{pull: errNoRegistry}
	engine.put("drydock/base:latest", map[string]string{LabelDigest: "of another list"})
	b := newTestBuilder(engine, errors.New("mmdebstrap: no network"))
	var warnings []string
	img, err := b.Ensure(t.Context(), "base", func(s Step) {
		if s.Stage == StageWarning {
			warnings = append(warnings, s.Detail)
		}
	})
	assert.NilError(t, err)
	assert.Equal(t, img.ID, "sha256:drydock/base:latest")
	assert.DeepEqual(t, warnings, []string{"using the outdated drydock/base:latest: could not be built: " +
		"no registry is in reach (no such host), and mmdebstrap: no network"})
}

func TestEnsureWarnsOfAnotherArchitecture(t *testing.T) {
	for _, tc := range []struct {
		arch  string
		warns int
	}{{"amd64", 0}, {"386", 0}, {"", 0}, {"arm64", 1}} {
		engine := &fakeEngine{arch: tc.arch}
		warned := 0
		_, err := newTestBuilder(engine, nil).Ensure(t.Context(), "some/image", func(s Step) {
			if s.Stage == StageWarning {
				warned++
			}
		})
		assert.NilError(t, err)
		assert.Equal(t, warned, tc.warns, tc.arch)
	}
}
