package gitdiff

import "math"

// promising looks for a diagonal that got unusually far for its cost and ends
// in a long run of equal lines.
func (t *attempt) promising(cost int32) (split, bool) {
	if cut, ok := t.promisingForward(cost); ok {
		return cut, true
	}
	return t.promisingBackward(cost)
}

func (t *attempt) promisingForward(cost int32) (cut split, ok bool) {
	best := int32(0)
	for d := t.f.hi; d >= t.f.lo; d -= 2 {
		x := t.fwd[t.origin+d]
		y := x - d
		gain := (x - t.x0) + (y - t.y0) - distance(d, t.f.mid)
		if gain <= heuristicGain*cost || gain <= best ||
			x < t.x0+snakeLen || x >= t.x1 || y < t.y0+snakeLen || y >= t.y1 {
			continue
		}
		if t.equalRun(x-snakeLen, y-snakeLen) {
			best = gain
			cut, ok = split{x: x, y: y, exactLo: true}, true
		}
	}
	return cut, ok
}

func (t *attempt) promisingBackward(cost int32) (cut split, ok bool) {
	best := int32(0)
	for d := t.r.hi; d >= t.r.lo; d -= 2 {
		x := t.bwd[t.origin+d]
		y := x - d
		gain := (t.x1 - x) + (t.y1 - y) - distance(d, t.r.mid)
		if gain <= heuristicGain*cost || gain <= best ||
			x <= t.x0 || x > t.x1-snakeLen || y <= t.y0 || y > t.y1-snakeLen {
			continue
		}
		if t.equalRun(x, y) {
			best = gain
			cut, ok = split{x: x, y: y, exactHi: true}, true
		}
	}
	return cut, ok
}

// equalRun says whether snakeLen lines from x and y on are equal.
func (t *attempt) equalRun(x, y int32) bool {
	for k := range int32(snakeLen) {
		if t.x[x+k] != t.y[y+k] {
			return false
		}
	}
	return true
}

// furthest gives up on the meeting point and takes the end of the path that
// covered most of the box.
func (t *attempt) furthest() split {
	fx, fsum := t.furthestForward()
	rx, rsum := t.furthestBackward()
	if int64(t.x1)+int64(t.y1)-rsum < fsum-int64(t.x0)-int64(t.y0) {
		return split{x: fx, y: int32(fsum) - fx, exactLo: true}
	}
	return split{x: rx, y: int32(rsum) - rx, exactHi: true}
}

func (t *attempt) furthestForward() (bestX int32, bestSum int64) {
	bestSum = -1
	for d := t.f.hi; d >= t.f.lo; d -= 2 {
		x := min(t.fwd[t.origin+d], t.x1)
		y := x - d
		if y > t.y1 {
			x, y = t.y1+d, t.y1
		}
		if sum := int64(x) + int64(y); sum > bestSum {
			bestX, bestSum = x, sum
		}
	}
	return bestX, bestSum
}

func (t *attempt) furthestBackward() (bestX int32, bestSum int64) {
	bestSum = math.MaxInt64
	for d := t.r.hi; d >= t.r.lo; d -= 2 {
		x := max(t.bwd[t.origin+d], t.x0)
		y := x - d
		if y < t.y0 {
			x, y = t.y0+d, t.y0
		}
		if sum := int64(x) + int64(y); sum < bestSum {
			bestX, bestSum = x, sum
		}
	}
	return bestX, bestSum
}

func distance(a, b int32) int32 { return max(a, b) - min(a, b) }
