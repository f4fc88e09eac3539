package gitdiff

import (
	"context"
	"math"
)

// Constants of the search. They bound its cost on inputs that differ much, and
// so decide which of several correct edit scripts is found.
const (
	minMaxCost    = 256 // the cost limit is never below this
	heuristicCost = 256 // good paths are looked for above this cost
	snakeLen      = 20  // a run of equal lines this long makes a path good
	heuristicGain = 4   // how far, per unit of cost, a good path must reach
)

const unreached = math.MaxInt32

// search finds which kept lines differ, by Myers' linear-space divide and
// conquer: a path from the start and one from the end meet in the middle.
type search struct {
	ctx     context.Context //nolint:containedctx // lives for one call
	a, b    *side
	x, y    []int32 // classes of the kept lines of a and b
	fwd     []int32 // by diagonal: how far into x the forward path reaches
	bwd     []int32
	origin  int32 // index of diagonal 0 in fwd and bwd
	maxCost int32
}

// box is the part of the edit graph being searched.
type box struct{ x0, x1, y0, y1 int32 }

// split is where a box is cut in two. A half whose flag is set must be
// searched without the heuristics.
type split struct {
	x, y             int32
	exactLo, exactHi bool
}

// compare marks the changed lines on both sides.
func compare(ctx context.Context, a, b *side) error {
	prepare(a, b)
	s := &search{ctx: ctx, a: a, b: b, x: a.keptClasses(), y: b.keptClasses()}
	diagonals := len(s.x) + len(s.y) + 3
	s.fwd = make([]int32, diagonals)
	s.bwd = make([]int32, diagonals)
	s.origin = int32(len(s.y) + 1)
	s.maxCost = int32(max(roughSqrt(diagonals), minMaxCost))
	return s.run(box{0, int32(len(s.x)), 0, int32(len(s.y))}, false)
}

func (s *side) keptClasses() []int32 {
	c := make([]int32, len(s.kept))
	for i, line := range s.kept {
		c[i] = s.class[line]
	}
	return c
}

// run compares one box. Recursion is on the first half only, so that a long
// chain of one-sided splits does not deepen the stack.
func (s *search) run(b box, exact bool) error {
	for {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		b = s.shrink(b)
		if b.x0 == b.x1 || b.y0 == b.y1 {
			s.markAll(b)
			return nil
		}
		cut := s.bisect(b, exact)
		if err := s.run(box{b.x0, cut.x, b.y0, cut.y}, cut.exactLo); err != nil {
			return err
		}
		b, exact = box{cut.x, b.x1, cut.y, b.y1}, cut.exactHi
	}
}

// shrink leaves out the equal lines at both ends of the box.
func (s *search) shrink(b box) box {
	for b.x0 < b.x1 && b.y0 < b.y1 && s.x[b.x0] == s.y[b.y0] {
		b.x0++
		b.y0++
	}
	for b.x0 < b.x1 && b.y0 < b.y1 && s.x[b.x1-1] == s.y[b.y1-1] {
		b.x1--
		b.y1--
	}
	return b
}

func (s *search) markAll(b box) {
	for _, line := range s.a.kept[b.x0:b.x1] {
		s.a.mark(int(line), true)
	}
	for _, line := range s.b.kept[b.y0:b.y1] {
		s.b.mark(int(line), true)
	}
}
