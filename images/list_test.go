package images

import (
	"context"
	"testing"

	"gotest.tools/v3/assert"
)

func TestListTellsMissingOutdatedAndUpToDate(t *testing.T) {
	engine := &fakeEngine{}
	b := newTestBuilder(engine, nil)
	_, err := b.Build(t.Context(), "base", false, nil)
	assert.NilError(t, err)
	list, err := b.List(t.Context())
	assert.NilError(t, err)
	assert.Equal(t, len(list), 2)
	assert.Assert(t, list[0].Present && list[0].UpToDate)
	assert.Equal(t, list[0].Version, "1.2.3")
	assert.Assert(t, !list[1].Present)

	engine.put("drydock/base:latest", map[string]string{LabelDigest: "old"})
	list, err = b.List(t.Context())
	assert.NilError(t, err)
	assert.Assert(t, list[0].Present && !list[0].UpToDate)
}

func TestAnotherProcessThatBuildsIsWaitedFor(t *testing.T) {
	dir := t.TempDir()
	release, err := lockFile(t.Context(), dir, "base", func() { t.Error("nobody else builds") })
	assert.NilError(t, err)
	b := newTestBuilder(&fakeEngine{}, nil)
	b.lockDir = dir
	var stages []Stage
	_, err = b.Build(t.Context(), "base", false, func(s Step) {
		if s.Stage == StageWait {
			release()
		}
		stages = append(stages, s.Stage)
	})
	assert.NilError(t, err)
	assert.Equal(t, stages[0], StageWait)
}

func TestWaitingForAnotherProcessEndsWithTheContext(t *testing.T) {
	dir := t.TempDir()
	release, err := lockFile(t.Context(), dir, "base", func() {})
	assert.NilError(t, err)
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	_, err = lockFile(ctx, dir, "base", cancel)
	assert.ErrorIs(t, err, context.Canceled)
}
