package workspace

import (
	"bytes"
	"context"
	"fmt"

	"drydock/runtime/workspace/gitdiff"
)

// FileChange describes one entry of a patch.
type FileChange = gitdiff.FileChange

// Patch is what changed since the snapshot.
type Patch struct {
	// Bytes is the patch, empty if nothing changed.
	Bytes []byte
	// Files describes its entries in their order.
	Files []FileChange
	// Notes tell, a line each, what was left out: counts first, then at most a hundred
	// about single files.
	Notes []string
}

// PatchLimits bound what a patch is made from. Zero means the default. What is
// beyond a limit stays out of the patch, with a note.
type PatchLimits struct {
	MaxFileBytes int64 // content of one file, before or after; default 64 MiB
	MaxBytes     int64 // content of all changed files, before and after; default 128 MiB
	MaxNewFiles  int   // entries that the snapshot has not; default 200,000
}

func (l PatchLimits) withDefaults() PatchLimits {
	if l.MaxFileBytes == 0 {
		l.MaxFileBytes = 64 << 20
	}
	if l.MaxBytes == 0 {
		l.MaxBytes = 128 << 20
	}
	if l.MaxNewFiles == 0 {
		l.MaxNewFiles = 200_000
	}
	return l
}

// Diff writes the patch from snap to what src has now. An empty Snapshot stands
// for an empty directory.
//
// It fails when src does, and when ctx ends. A source that contradicts itself
// makes no error: what cannot be true is left out with a note. Contents that
// differ are kept in a temporary file meanwhile, not in memory.
func Diff(ctx context.Context, snap *Snapshot, src Source, limits PatchLimits) (Patch, error) {
	var notes notes
	limits = limits.withDefaults()
	repos := findRepos(snap, &notes)
	list := &listing{
		snap: snap, repos: repos, limits: limits, notes: &notes,
		entries: map[string]Entry{}, unread: map[string]bool{},
	}
	if err := list.read(ctx, src); err != nil {
		return Patch{}, err
	}
	fetch, err := newFetcher(src, repos.format)
	if err != nil {
		return Patch{}, err
	}
	defer fetch.close()
	rules := ruleReader{list: list, fetch: fetch, notes: &notes}
	matcher, err := rules.read(ctx)
	if err != nil {
		return Patch{}, err
	}
	finder := &changeFinder{list: list, fetch: fetch, matcher: matcher, limits: limits, notes: &notes}
	finder.find()
	if err := finder.get(ctx); err != nil {
		return Patch{}, err
	}
	finder.settle()
	return finder.write(ctx)
}

// write makes the patch of what was found.
func (c *changeFinder) write(ctx context.Context) (Patch, error) {
	blobs, err := c.blobs()
	if err != nil {
		return Patch{}, err
	}
	var out bytes.Buffer
	result, err := gitdiff.Diff(ctx, &out, blobs, c.fetch.format)
	if err != nil {
		return Patch{}, fmt.Errorf("write the patch: %w", err)
	}
	counts := notes{}
	c.list.left.report(&counts)
	c.report(result, &counts)
	all := append(counts.lines, c.notes.list("more notes")...)
	return Patch{Bytes: out.Bytes(), Files: result.Files, Notes: all}, nil
}

// report adds what no note names one by one.
func (c *changeFinder) report(result gitdiff.Result, n *notes) {
	if c.ignored > 0 {
		n.addf("left out %d changed files that .gitignore leaves out", c.ignored)
	}
	if c.many > 0 {
		n.addf("left out %d changed files: together they hold more than the %s that a patch may have", c.many, byteSize(c.limits.MaxBytes))
	}
	if c.matcher.Exhausted() {
		n.addf("the ignore rules are too costly to decide by, so some of them did not count")
	}
	if result.RenamesSkipped {
		n.addf("too many files were deleted and created to look for edited renames among them")
	}
}
