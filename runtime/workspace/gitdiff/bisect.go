package gitdiff

// frontier is the range of diagonals that one of the two paths has reached.
// Diagonal d holds the points with x-y == d.
type frontier struct{ mid, lo, hi int32 }

// widen takes one more diagonal at each end, or one fewer where the box ends,
// which keeps the parity of the ends right. Diagonals just outside get the
// value edge, so that the step needs no special case there.
func (f *frontier) widen(reach []int32, origin, dmin, dmax, edge int32) {
	if f.lo > dmin {
		f.lo--
		reach[origin+f.lo-1] = edge
	} else {
		f.lo++
	}
	if f.hi < dmax {
		f.hi++
		reach[origin+f.hi+1] = edge
	} else {
		f.hi--
	}
}

func (f *frontier) holds(d int32) bool { return f.lo <= d && d <= f.hi }

// attempt is the state of one bisection.
type attempt struct {
	*search
	box
	f, r frontier // forward from the start, backward from the end
	odd  bool     // the paths meet in a forward step
	far  bool     // this round met a long run of equal lines
}

// bisect finds a point of the box to split it at: where the two paths meet,
// or, once that has cost too much, a point that looks good.
func (s *search) bisect(b box, exact bool) split {
	t := attempt{search: s, box: b}
	t.f = frontier{mid: b.x0 - b.y0, lo: b.x0 - b.y0, hi: b.x0 - b.y0}
	t.r = frontier{mid: b.x1 - b.y1, lo: b.x1 - b.y1, hi: b.x1 - b.y1}
	t.odd = (t.f.mid-t.r.mid)&1 != 0
	dmin, dmax := b.x0-b.y1, b.x1-b.y0
	s.fwd[s.origin+t.f.mid] = b.x0
	s.bwd[s.origin+t.r.mid] = b.x1

	for cost := int32(1); ; cost++ {
		t.far = false
		t.f.widen(s.fwd, s.origin, dmin, dmax, -1)
		if cut, ok := t.forward(); ok {
			return cut
		}
		t.r.widen(s.bwd, s.origin, dmin, dmax, unreached)
		if cut, ok := t.backward(); ok {
			return cut
		}
		if exact {
			continue
		}
		if t.far && cost > heuristicCost {
			if cut, ok := t.promising(cost); ok {
				return cut
			}
		}
		if cost >= s.maxCost {
			return t.furthest()
		}
	}
}

// forward takes the path from the start one edit further on every diagonal.
func (t *attempt) forward() (split, bool) {
	reach, o := t.fwd, t.origin
	for d := t.f.hi; d >= t.f.lo; d -= 2 {
		x := max(reach[o+d-1]+1, reach[o+d+1])
		from, y := x, x-d
		for x < t.x1 && y < t.y1 && t.x[x] == t.y[y] {
			x++
			y++
		}
		t.far = t.far || x-from > snakeLen
		reach[o+d] = x
		if t.odd && t.r.holds(d) && t.bwd[o+d] <= x {
			return split{x, y, true, true}, true
		}
	}
	return split{}, false
}

// backward takes the path from the end one edit further on every diagonal.
func (t *attempt) backward() (split, bool) {
	reach, o := t.bwd, t.origin
	for d := t.r.hi; d >= t.r.lo; d -= 2 {
		x := min(reach[o+d-1], reach[o+d+1]-1)
		from, y := x, x-d
		for x > t.x0 && y > t.y0 && t.x[x-1] == t.y[y-1] {
			x--
			y--
		}
		t.far = t.far || from-x > snakeLen
		reach[o+d] = x
		if !t.odd && t.f.holds(d) && x <= t.fwd[o+d] {
			return split{x, y, true, true}, true
		}
	}
	return split{}, false
}
