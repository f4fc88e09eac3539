package gitdiff

import (
	"context"
	"slices"
	"strings"
)

const (
	// renameLimit is git's default for diff.renameLimit: the search for edited
	// renames is left out when there are more pairs than its square.
	renameLimit = 1000
	// renameWork bounds the chunks compared in that search. Git has no such
	// bound; it keeps files made to be slow to compare from holding up a run.
	renameWork = 1 << 31
	// identicalTries is how many files of equal content are weighed.
	identicalTries = 100
)

// renamer pairs deleted files with created ones.
type renamer struct {
	src, dst []*Blob // in path order
	from     map[*Blob]match
	used     map[*Blob]bool
	comparer
}

// match is the source a created file was made from.
type match struct {
	src   *Blob
	score int
}

// findRenames turns deletions and creations that belong together into renames.
// It returns the changes in their order, a rename standing where the creation
// stood, and whether the search for edited renames was left out for its cost.
func findRenames(ctx context.Context, changes []Change) (out []Change, skipped bool, err error) {
	r := renamer{
		from: map[*Blob]match{}, used: map[*Blob]bool{},
		comparer: comparer{prints: map[*Blob][]chunk{}},
	}
	for _, c := range changes {
		switch {
		case c.New == nil:
			r.src = append(r.src, c.Old)
		case c.Old == nil:
			r.dst = append(r.dst, c.New)
		}
	}
	r.leaveReplacedLinks()
	if len(r.src) == 0 || len(r.dst) == 0 {
		return changes, false, nil
	}
	r.exact()
	if err := r.byBasename(ctx); err != nil {
		return nil, false, err
	}
	if skipped, err = r.bySimilarity(ctx); err != nil {
		return nil, false, err
	}
	return r.apply(changes), skipped, nil
}

// leaveReplacedLinks keeps a symlink from being renamed when a directory takes
// its place. The patch of such a rename does not say that it moves a symlink,
// so git would refuse to create the files below "beyond" it; git's own patch
// for this change cannot be applied.
func (r *renamer) leaveReplacedLinks() {
	parents := map[string]bool{}
	for _, d := range r.dst {
		for p := d.Path; ; {
			i := strings.LastIndexByte(p, '/')
			if i < 0 || parents[p[:i]] {
				break
			}
			p = p[:i]
			parents[p] = true
		}
	}
	r.src = slices.DeleteFunc(r.src, func(b *Blob) bool {
		return b.Mode == ModeSymlink && parents[b.Path]
	})
}

func (r *renamer) apply(changes []Change) []Change {
	out := make([]Change, 0, len(changes))
	for _, c := range changes {
		if c.New == nil && r.used[c.Old] {
			continue
		}
		if m, ok := r.from[c.New]; ok && c.Old == nil {
			c.Old, c.score = m.src, m.score
		}
		out = append(out, c)
	}
	return out
}

func (r *renamer) record(dst, src *Blob, score int) {
	r.from[dst] = match{src, score}
	r.used[src] = true
}

func (r *renamer) free(blobs []*Blob, taken func(*Blob) bool) []*Blob {
	var out []*Blob
	for _, b := range blobs {
		if !taken(b) {
			out = append(out, b)
		}
	}
	return out
}

func (r *renamer) freeSources() []*Blob {
	return r.free(r.src, func(b *Blob) bool { return r.used[b] })
}

func (r *renamer) freeTargets() []*Blob {
	return r.free(r.dst, func(b *Blob) bool { _, ok := r.from[b]; return ok })
}

// exact pairs files of equal content, those of equal name first.
func (r *renamer) exact() {
	byID := map[string][]*Blob{}
	for _, s := range r.src {
		byID[s.ID] = append(byID[s.ID], s)
	}
	for _, d := range r.dst {
		if s := r.pickIdentical(d, byID[d.ID]); s != nil {
			r.record(d, s, maxScore)
		}
	}
}

func (r *renamer) pickIdentical(d *Blob, candidates []*Blob) (best *Blob) {
	tries := identicalTries
	for _, s := range candidates {
		if r.used[s] || (!s.Mode.regular() || !d.Mode.regular()) && s.Mode != d.Mode {
			continue
		}
		if baseName(s.Path) == baseName(d.Path) {
			return s
		}
		if best == nil {
			best = s
		}
		if tries--; tries == 0 {
			break
		}
	}
	return best
}

// byBasename pairs files that moved to another directory under a name nobody
// else has, if they are clearly alike.
func (r *renamer) byBasename(ctx context.Context) error {
	sources, targets := r.freeSources(), uniqueNames(r.freeTargets())
	unique := uniqueNames(sources)
	for _, s := range sources {
		name := baseName(s.Path)
		d := targets[name]
		if unique[name] == nil || d == nil {
			continue
		}
		score, err := r.score(ctx, s, d, basenameScore)
		if err != nil {
			return err
		}
		if score >= basenameScore {
			r.record(d, s, score)
		}
	}
	return nil
}

// uniqueNames maps the base names that occur once to their file, and others to
// nil.
func uniqueNames(blobs []*Blob) map[string]*Blob {
	m := make(map[string]*Blob, len(blobs))
	for _, b := range blobs {
		name := baseName(b.Path)
		if _, ok := m[name]; ok {
			b = nil
		}
		m[name] = b
	}
	return m
}

func baseName(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }
