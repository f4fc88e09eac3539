package gitdiff

import (
	"cmp"
	"context"
	"slices"
)

// candidatesPerFile is how many sources are remembered for a created file.
const candidatesPerFile = 4

// candidate is a possible rename.
type candidate struct {
	src, dst *Blob
	score    int
	sameName bool
}

// compareCandidates sorts the more likely first; empty ones come last.
func compareCandidates(a, b candidate) int {
	if a.dst == nil || b.dst == nil {
		return boolOrder(a.dst == nil, b.dst == nil)
	}
	if a.score != b.score {
		return cmp.Compare(b.score, a.score)
	}
	return boolOrder(b.sameName, a.sameName)
}

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

// bySimilarity compares every remaining source with every remaining created
// file and takes the pairs from the most alike down. It leaves all of them
// unpaired, and says so, when there are too many or they are too costly.
func (r *renamer) bySimilarity(ctx context.Context) (skipped bool, err error) {
	sources, targets := r.freeSources(), r.freeTargets()
	if len(sources)*len(targets) > renameLimit*renameLimit {
		return true, nil
	}
	var all []candidate
	for _, d := range targets {
		best, err := r.candidates(ctx, sources, d)
		if err != nil {
			return false, err
		}
		if r.work > renameWork {
			return true, nil
		}
		all = append(all, best[:]...)
	}
	slices.SortStableFunc(all, compareCandidates)
	for _, c := range all {
		if c.dst == nil || c.score < minScore {
			break
		}
		if _, taken := r.from[c.dst]; !taken && !r.used[c.src] {
			r.record(c.dst, c.src, c.score)
		}
	}
	return false, nil
}

// candidates rates the sources for one created file.
func (r *renamer) candidates(ctx context.Context, sources []*Blob, d *Blob) (best [candidatesPerFile]candidate, err error) {
	for _, s := range sources {
		score, err := r.score(ctx, s, d, minScore)
		if err != nil {
			return best, err
		}
		c := candidate{src: s, dst: d, score: score, sameName: baseName(s.Path) == baseName(d.Path)}
		worst := 0
		for i := range best {
			if compareCandidates(best[i], best[worst]) > 0 {
				worst = i
			}
		}
		if compareCandidates(best[worst], c) > 0 {
			best[worst] = c
		}
	}
	return best, ctx.Err()
}
