package gitdiff_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime/workspace/gitdiff"
	"drydock/runtime/workspace/internal/gittest"
)

// TestObjectNames knows what "git hash-object" prints.
func TestObjectNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		format        gitdiff.ObjectFormat
		content, want string
	}{
		{gitdiff.SHA1, "", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"},
		{gitdiff.SHA1, "hello\n", "ce013625030ba8dba906f756967f9e9ca394464a"},
		{gitdiff.SHA256, "", "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"},
	} {
		b := gitdiff.NewBlob("p", gitdiff.ModeFile, []byte(c.content), c.format)
		assert.Equal(t, b.ID, c.want)
		assert.Equal(t, len(b.ID), c.format.HexLen())
	}
}

// TestContentShorterThanItsSize must not become a wrong patch.
func TestContentShorterThanItsSize(t *testing.T) {
	t.Parallel()
	b := gitdiff.NewBlob("p", gitdiff.ModeFile, []byte("short"), gitdiff.SHA1)
	b.Size++
	_, err := gitdiff.Diff(t.Context(), io.Discard, []gitdiff.Change{{New: b}}, gitdiff.SHA1)
	assert.Assert(t, errors.Is(err, io.ErrUnexpectedEOF))
	assert.ErrorContains(t, err, `"p"`)
}

func TestDiffStopsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b := gitdiff.NewBlob("p", gitdiff.ModeFile, []byte("x"), gitdiff.SHA1)
	_, err := gitdiff.Diff(ctx, io.Discard, []gitdiff.Change{{New: b}}, gitdiff.SHA1)
	assert.Assert(t, errors.Is(err, context.Canceled))
}

// TestManyLinesAreBinary has more lines than are compared one by one.
func TestManyLinesAreBinary(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("\n", gitdiff.MaxTextLines+1)
	base, result := gittest.Tree{"a": {Data: text}}, gittest.Tree{"a": {Data: text + "x"}}
	patch, found := diff(t, base, result)
	assert.Assert(t, found.Files[0].Binary && bytes.Contains(patch, []byte("GIT binary patch")))
	assert.Assert(t, len(patch) < 100_000)
	assert.DeepEqual(t, gittest.Apply(t, base, patch)["a"].Data == result["a"].Data, true)
}

// TestWhatHappenedToFiles describes one change of each kind.
func TestWhatHappenedToFiles(t *testing.T) {
	t.Parallel()
	base := gittest.Tree{
		"edited": {Data: "1\n2\n3\n"}, "gone": {Data: "1\n2\n"}, "mode": {Data: "m\n"}, "old": {Data: "content\n"},
		"bin": {Data: "\x00"}, "kind": {Data: "k\n"},
	}
	result := gittest.Tree{
		"edited": {Data: "1\n3\n4\n5\n"}, "new": {Data: "n\n"}, "mode": {Data: "m\n", Exec: true}, "moved": {Data: "content\n"},
		"bin": {Data: "\x00\x01"}, "kind": {Data: "t", Link: true},
	}
	_, found := diff(t, base, result)
	assert.DeepEqual(t, found.Files, []gitdiff.FileChange{
		{Path: "bin", Kind: gitdiff.Modified, Binary: true},
		{Path: "edited", Kind: gitdiff.Modified, Additions: 2, Deletions: 1},
		{Path: "gone", Kind: gitdiff.Deleted, Deletions: 2},
		{Path: "kind", Kind: gitdiff.Deleted, Deletions: 1},
		{Path: "kind", Kind: gitdiff.Added, Additions: 1},
		{Path: "mode", Kind: gitdiff.ModeChanged},
		{Path: "moved", OldPath: "old", Kind: gitdiff.Renamed},
		{Path: "new", Kind: gitdiff.Added, Additions: 1},
	})
}
