package gitdiff

// Limits of the pass that takes lines out of the comparison.
const (
	maxFrequent   = 1024 // a line with this many twins is always frequent
	scanWindow    = 100  // how far the surroundings of a frequent line are read
	frequentShare = 4    // dropped when frequent lines are under 1/4 around it
)

// What a line of the middle part has on the other side.
const (
	noTwin = iota
	fewTwins
	manyTwins
)

// prepare marks as changed the lines that the search need not look at, and
// lists the others in kept. The common head and tail are neither.
func prepare(a, b *side) {
	c := classify(a, b)
	head, tail := commonEnds(a, b)
	a.keep(head, a.len()-tail, c.count[1])
	b.keep(head, b.len()-tail, c.count[0])
}

// commonEnds counts the equal lines at the start and at the end.
func commonEnds(a, b *side) (head, tail int) {
	limit := min(a.len(), b.len())
	for head < limit && a.class[head] == b.class[head] {
		head++
	}
	limit -= head
	for tail < limit && a.class[a.len()-1-tail] == b.class[b.len()-1-tail] {
		tail++
	}
	return head, tail
}

// keep sorts the lines lo..hi-1 into those worth comparing and those that are
// changed whatever the search finds: lines without a twin, and very frequent
// lines that stand among such.
func (s *side) keep(lo, hi int, twins []int32) {
	frequent := int32(min(roughSqrt(s.len()), maxFrequent))
	kind := make([]byte, s.len())
	for i := lo; i < hi; i++ {
		switch n := twins[s.class[i]]; {
		case n == 0:
			kind[i] = noTwin
		case n >= frequent:
			kind[i] = manyTwins
		default:
			kind[i] = fewTwins
		}
	}
	s.kept = make([]int32, 0, hi-lo)
	for i := lo; i < hi; i++ {
		if kind[i] == fewTwins || kind[i] == manyTwins && !amongStrangers(kind, i, lo, hi-1) {
			s.kept = append(s.kept, int32(i))
			continue
		}
		s.mark(i, true)
	}
}

// amongStrangers says whether the frequent line i sits in a run, both above
// and below it, that is mostly lines without a twin.
func amongStrangers(kind []byte, i, lo, hi int) bool {
	above, aboveFrequent := countRun(kind, i-1, max(lo, i-scanWindow), -1)
	if above == 0 {
		return false
	}
	below, belowFrequent := countRun(kind, i+1, min(hi, i+scanWindow), 1)
	if below == 0 {
		return false
	}
	// The line itself counts once for either direction.
	many := aboveFrequent + belowFrequent + 2
	return many*frequentShare < many+above+below
}

// countRun walks from i to last and counts the lines without a twin and the
// frequent ones, up to the first line that is neither.
func countRun(kind []byte, i, last, step int) (strangers, frequent int) {
	for ; (last-i)*step >= 0; i += step {
		switch kind[i] {
		case noTwin:
			strangers++
		case manyTwins:
			frequent++
		default:
			return strangers, frequent
		}
	}
	return strangers, frequent
}

// roughSqrt is the power of two that git takes for a square root.
func roughSqrt(n int) int {
	r := 1
	for ; n > 0; n >>= 2 {
		r <<= 1
	}
	return r
}
