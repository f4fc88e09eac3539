package workspace

import (
	"context"
	"errors"
	"fmt"
)

const (
	maxListed    = 20_000_000 // entries a source may show, of whatever kind
	maxNameBytes = 64 << 20   // paths and symlink targets that the snapshot has not
)

var errListing = errors.New("the sandbox lists entries without end")

// listing is the tree that a source shows, brought into a form that can be
// true: no path occurs twice or is another's directory. It holds files and
// symlinks only.
type listing struct {
	snap      *Snapshot
	repos     *repos
	limits    PatchLimits
	notes     *notes
	entries   map[string]Entry
	unread    map[string]bool // of the snapshot's paths: unknown, and all below
	total     int
	new       int
	nameBytes int
	left      leftOut
}

// leftOut counts what no note names one by one.
type leftOut struct{ impossible, gitLike, special, junk, tooMany int }

func (l *listing) read(ctx context.Context, src Source) error {
	err := src.Walk(ctx, func(f Found) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return l.add(f)
	})
	if err != nil {
		return fmt.Errorf("list the sandbox's workspace: %w", err)
	}
	l.restoreUnread()
	l.dropImpossible()
	return nil
}

func (l *listing) add(f Found) error {
	if l.total++; l.total > maxListed {
		return errListing
	}
	switch {
	case !validPath(f.Path):
		l.left.impossible++
	case insideGit(f.Path):
		if !insidePlainGit(f.Path) {
			l.left.gitLike++
		}
	case f.Problem != "":
		l.notes.addf("%q could not be read and is left as it was: %s", f.Path, shorten(f.Problem))
		l.keep(f.Path)
	case f.Kind == Symlink:
		l.addLink(f.Entry)
	case f.Kind == File && f.Size >= 0:
		f.Target = ""
		l.put(f.Entry)
	case f.Kind == Other:
		l.left.special++
	}
	return nil
}

// keep makes the result have at path, and below, what the snapshot has.
func (l *listing) keep(path string) {
	if e, ok := l.snap.entries[path]; ok {
		l.unread[e.Path] = true
	}
}

func (l *listing) addLink(e Entry) {
	switch {
	case !validTarget(e.Target):
		l.left.impossible++
		l.keep(e.Path)
	case leadsToGitmodules(e.Path):
		l.notes.addf("%q was left out: git takes no symlink of that name", e.Path)
		l.keep(e.Path)
	default:
		l.put(Entry{Path: e.Path, Kind: Symlink, Mode: e.Mode, Target: e.Target})
	}
}

func (l *listing) put(e Entry) {
	if _, twice := l.entries[e.Path]; twice {
		l.left.impossible++
		return
	}
	if base, ok := l.snap.entries[e.Path]; ok {
		e.Path = base.Path
		if e.Kind == File && base.Kind == File && e.Size == base.Size && e.Size > l.limits.MaxFileBytes {
			e.SHA256 = base.SHA256 // a source need not hash what no patch could hold
		}
		if e.same(&base.Entry) {
			l.entries[e.Path] = base.Entry
			return
		}
	} else {
		if l.repos.isJunk(e.Path) {
			l.left.junk++
			return
		}
		l.new++
		l.nameBytes += len(e.Path)
	}
	l.nameBytes += len(e.Target)
	if l.new > l.limits.MaxNewFiles || l.nameBytes > maxNameBytes {
		l.left.tooMany++
		l.keep(e.Path)
		return
	}
	l.entries[e.Path] = e
}

func (l *listing) restoreUnread() {
	if len(l.unread) == 0 {
		return
	}
	for p, base := range l.snap.entries {
		if base.Kind != Dir && (l.unread[p] || anyParent(p, func(dir string) bool { return l.unread[dir] })) {
			l.entries[p] = base.Entry
		}
	}
}

// dropImpossible takes out what is said to be below a file or a symlink.
func (l *listing) dropImpossible() {
	isEntry := func(path string) bool {
		_, ok := l.entries[path]
		return ok
	}
	var below []string
	for p := range l.entries {
		if anyParent(p, isEntry) {
			below = append(below, p)
		}
	}
	for _, p := range below {
		delete(l.entries, p)
	}
	l.left.impossible += len(below)
}

// anyParent asks for each directory above path, but not for the top.
func anyParent(path string, is func(string) bool) bool {
	for dir := parentDir(path); dir != ""; dir = parentDir(dir) {
		if is(dir) {
			return true
		}
	}
	return false
}

// report adds a note for each number that is not zero.
func (l *leftOut) report(n *notes) {
	for _, c := range []struct {
		count int
		what  string
	}{
		{l.junk, "new files of build output (such as caches, object files, node_modules)"},
		{l.special, "sockets, FIFOs or devices"},
		{l.gitLike, `files in directories that some systems take for ".git"`},
		{l.tooMany, "files beyond the number that a patch may have"},
		{l.impossible, "entries that contradict others or have names that no file can have"},
	} {
		if c.count > 0 {
			n.addf("left out %d %s", c.count, c.what)
		}
	}
}
