package gitdiff

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Change is one file that differs. Old is nil for a created file and New for a
// deleted one; otherwise both have the same path.
type Change struct {
	Old, New *Blob

	score int // of a rename, found by Diff
}

func (c Change) path() string {
	if c.New != nil {
		return c.New.Path
	}
	return c.Old.Path
}

// Kind says what happened to a file.
type Kind string

// The kinds of change. A file that becomes a symlink, or the reverse, is a
// deletion and a creation. ModeChanged is a change of the execute bit alone.
const (
	Added       Kind = "added"
	Deleted     Kind = "deleted"
	Modified    Kind = "modified"
	Renamed     Kind = "renamed"
	ModeChanged Kind = "mode"
)

// FileChange describes one entry of a patch. Additions and Deletions count lines
// and are zero for a binary file. OldPath is set for a rename.
type FileChange struct {
	Path      string `json:"path"`
	OldPath   string `json:"old_path,omitempty"`
	Kind      Kind   `json:"kind"`
	Additions int    `json:"additions"`
	Deletions int    `json:"deletions"`
	Binary    bool   `json:"binary,omitempty"`
}

// Result is what Diff found.
type Result struct {
	Files []FileChange
	// RenamesSkipped tells that edited renames were not looked for, because
	// comparing all candidates would have taken too long. They are in the patch
	// as deletions and creations.
	RenamesSkipped bool
}

// Diff writes the patch for changes to w. It holds the contents of one file at
// a time in memory, both versions, besides a digest of those that may have been
// renamed. It stops with the context's error when ctx ends.
func Diff(ctx context.Context, w io.Writer, changes []Change, format ObjectFormat) (Result, error) {
	changes = slices.Clone(changes)
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.path(), b.path()) })
	changes, skipped, err := findRenames(ctx, changes)
	if err != nil {
		return Result{}, fmt.Errorf("find renames: %w", err)
	}
	p := printer{w: bufio.NewWriterSize(w, 64<<10), format: format}
	for _, c := range changes {
		if err := p.change(ctx, c); err != nil {
			return Result{}, fmt.Errorf("compare %q: %w", c.path(), err)
		}
	}
	if err := p.w.Flush(); err != nil {
		return Result{}, fmt.Errorf("write patch: %w", err)
	}
	return Result{Files: p.files, RenamesSkipped: skipped}, nil
}

// printer writes one change after the other.
type printer struct {
	w      *bufio.Writer // keeps the first error until it is flushed
	format ObjectFormat
	files  []FileChange
}

func (p *printer) change(ctx context.Context, c Change) error {
	if c.Old != nil && c.New != nil && !c.Old.Mode.sameKind(c.New.Mode) {
		if err := p.one(ctx, Change{Old: c.Old}); err != nil {
			return err
		}
		c.Old = nil
	}
	return p.one(ctx, c)
}

func (p *printer) one(ctx context.Context, c Change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	stat := newFileChange(c)
	if c.sameContent() {
		p.header(c, false)
		p.files = append(p.files, stat)
		return nil
	}
	old, err := c.Old.load()
	if err != nil {
		return err
	}
	data, err := c.New.load()
	if err != nil {
		return err
	}
	stat.Binary = notText(old) || notText(data)
	p.header(c, stat.Binary)
	switch {
	case bytes.Equal(old, data): // an empty file that came or went
	case stat.Binary:
		writeBinary(p.w, old, data)
	default:
		stat.Additions, stat.Deletions, err = p.text(ctx, c, old, data)
	}
	p.files = append(p.files, stat)
	return err
}

func (p *printer) text(ctx context.Context, c Change, old, data []byte) (added, deleted int, err error) {
	h := hunkWriter{w: p.w, a: newSide(old), b: newSide(data)}
	edits, err := lineDiff(ctx, h.a, h.b)
	if err != nil {
		return 0, 0, err
	}
	p.labels(c)
	h.write(edits)
	return h.added, h.deleted, nil
}

func (c Change) sameContent() bool {
	return c.Old != nil && c.New != nil && c.Old.ID == c.New.ID
}

func newFileChange(c Change) FileChange {
	s := FileChange{Path: c.path(), Kind: Modified}
	switch {
	case c.Old == nil:
		s.Kind = Added
	case c.New == nil:
		s.Kind = Deleted
	case c.Old.Path != c.New.Path:
		s.Kind, s.OldPath = Renamed, c.Old.Path
	case c.Old.ID == c.New.ID:
		s.Kind = ModeChanged
	}
	return s
}
