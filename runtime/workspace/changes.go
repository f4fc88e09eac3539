package workspace

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"drydock/runtime/workspace/gitdiff"
	"drydock/runtime/workspace/ignore"
)

// change is a path at which the result differs. old is nil for a new file, new
// for a deleted one.
type change struct {
	path string
	old  *baseEntry
	new  *Entry
}

// changeFinder compares a result with its snapshot.
type changeFinder struct {
	list    *listing
	fetch   *fetcher
	matcher *ignore.Matcher
	limits  PatchLimits
	notes   *notes
	changes []change // in path order
	bytes   int64
	ignored int
	many    int // left out for MaxBytes
}

// find lists the changes that belong into the patch.
func (c *changeFinder) find() {
	paths := make([]string, 0, len(c.list.entries))
	for p := range c.list.entries {
		paths = append(paths, p)
	}
	for p, base := range c.list.snap.entries {
		if _, ok := c.list.entries[p]; !ok && base.diffable() {
			paths = append(paths, p)
		}
	}
	slices.SortFunc(paths, c.worth)
	for _, p := range paths {
		c.compare(p)
	}
	slices.SortFunc(c.changes, func(a, b change) int { return strings.Compare(a.path, b.path) })
}

// worth orders paths by who should have room in the patch first: what was there
// before, then new files from the smallest on, so that build output does not
// crowd out a fix.
func (c *changeFinder) worth(a, b string) int {
	return cmp.Or(cmp.Compare(c.rank(a), c.rank(b)), strings.Compare(a, b))
}

func (c *changeFinder) rank(p string) int64 {
	if _, ok := c.list.snap.entries[p]; ok {
		return -1
	}
	return c.list.entries[p].Size
}

// diffable says whether a patch can hold an entry.
func (e *Entry) diffable() bool {
	if e.Kind == Symlink && leadsToGitmodules(e.Path) {
		return false
	}
	return (e.Kind == File || e.Kind == Symlink) && validPath(e.Path) && !insideGit(e.Path)
}

func (c *changeFinder) compare(p string) {
	ch := change{path: p}
	if base, ok := c.list.snap.entries[p]; ok && base.diffable() {
		ch.old = base
	}
	if e, ok := c.list.entries[p]; ok && e.diffable() {
		ch.new = &e
	}
	switch {
	case ch.old == nil && ch.new == nil:
	case ch.old != nil && ch.new != nil && ch.new.same(&ch.old.Entry):
	case !c.list.repos.has(p) && c.matcher.Ignored(p, false):
		c.ignored++
	case ch.largest() > c.limits.MaxFileBytes:
		c.notes.addf("the change of %q was left out: it has %s, more than the %s that a file in a patch may have",
			p, byteSize(ch.largest()), byteSize(c.limits.MaxFileBytes))
	case c.bytes+ch.size() > c.limits.MaxBytes:
		c.many++
		c.notes.addf("the change of %q was left out: there was no room for its %s", p, byteSize(ch.size()))
	default:
		c.bytes += ch.size()
		c.changes = append(c.changes, ch)
	}
}

func (ch *change) sizes() (before, after int64) {
	if ch.old != nil {
		before = ch.old.Size
	}
	if ch.new != nil {
		after = ch.new.Size
	}
	return before, after
}

func (ch *change) largest() int64 { return max(ch.sizes()) }

func (ch *change) size() int64 {
	before, after := ch.sizes()
	return before + after
}

// get fetches the contents, and gives up the changes for which it got none.
func (c *changeFinder) get(ctx context.Context) error {
	var want []Entry
	for _, ch := range c.changes {
		if ch.needsContent() {
			want = append(want, *ch.new)
		}
	}
	if err := c.fetch.fetch(ctx, want); err != nil {
		return err
	}
	c.drop(func(ch change) bool {
		if !ch.needsContent() {
			return false
		}
		_, ok := c.fetch.got[ch.path]
		return !ok
	}, "it changed while it was read")
	return nil
}

// needsContent is false where the snapshot has the content: a change of mode.
func (ch *change) needsContent() bool {
	return ch.new != nil && ch.new.Kind == File &&
		(ch.old == nil || ch.old.Kind != File || ch.old.SHA256 != ch.new.SHA256)
}

// settle drops the new files that have no place because of what is left out: a
// file cannot be where a directory still has files, nor below a file that stays.
func (c *changeFinder) settle() {
	gone, stays := map[string]bool{}, map[string]bool{}
	for _, ch := range c.changes {
		if ch.new == nil {
			gone[ch.path] = true
		}
	}
	full := map[string]bool{} // directories in which something stays
	for p, base := range c.list.snap.entries {
		if base.Kind == Dir || gone[p] {
			continue
		}
		stays[p] = true
		anyParent(p, func(dir string) bool {
			known := full[dir]
			full[dir] = true
			return known
		})
	}
	c.drop(func(ch change) bool {
		return ch.old == nil && (stays[ch.path] || full[ch.path] || anyParent(ch.path, func(dir string) bool { return stays[dir] }))
	}, "what stands in its place is not in the patch")
}

func (c *changeFinder) drop(is func(change) bool, why string) {
	c.changes = slices.DeleteFunc(c.changes, func(ch change) bool {
		if !is(ch) {
			return false
		}
		c.notes.addf("the change of %q was left out: %s", ch.path, why)
		return true
	})
}

// blobs gives the changes in the form that a patch is written from.
func (c *changeFinder) blobs() ([]gitdiff.Change, error) {
	out := make([]gitdiff.Change, 0, len(c.changes))
	for _, ch := range c.changes {
		var d gitdiff.Change
		var err error
		if ch.old != nil {
			if d.Old, err = c.oldBlob(ch.old); err != nil {
				return nil, err
			}
		}
		if ch.new != nil {
			d.New = c.newBlob(ch, d.Old)
		}
		out = append(out, d)
	}
	return out, nil
}

func (c *changeFinder) oldBlob(e *baseEntry) (*gitdiff.Blob, error) {
	if e.Kind == Symlink {
		return gitdiff.NewBlob(e.Path, gitdiff.ModeSymlink, []byte(e.Target), c.fetch.format), nil
	}
	open := func() (io.ReadCloser, error) {
		return io.NopCloser(io.NewSectionReader(c.list.snap.spool, e.offset, e.Size)), nil
	}
	id := c.fetch.format.BlobHash(e.Size)
	if n, err := io.Copy(id, io.NewSectionReader(c.list.snap.spool, e.offset, e.Size)); err != nil || n != e.Size {
		return nil, fmt.Errorf("read %q in the snapshot: %d of %d bytes: %w", e.Path, n, e.Size, err)
	}
	return &gitdiff.Blob{Path: e.Path, Mode: e.gitMode(), Size: e.Size, ID: hex.EncodeToString(id.Sum(nil)), Open: open}, nil
}

func (c *changeFinder) newBlob(ch change, old *gitdiff.Blob) *gitdiff.Blob {
	e := ch.new
	switch {
	case e.Kind == Symlink:
		return gitdiff.NewBlob(e.Path, gitdiff.ModeSymlink, []byte(e.Target), c.fetch.format)
	case !ch.needsContent():
		b := *old
		b.Mode = e.gitMode()
		return &b
	}
	got := c.fetch.got[e.Path]
	return &gitdiff.Blob{
		Path: e.Path, Mode: e.gitMode(), Size: got.size, ID: got.id,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(c.fetch.open(got)), nil },
	}
}

func (e *Entry) gitMode() gitdiff.Mode {
	if e.executable() {
		return gitdiff.ModeExec
	}
	return gitdiff.ModeFile
}
