package gitdiff

// group is a run of changed lines, start inclusive and end exclusive. There is
// one before the first unchanged line, one after the last and one between any
// two, most of them empty; so the n-th group of one side always stands against
// the n-th of the other.
type group struct{ start, end int }

func (s *side) firstGroup() group {
	g := group{}
	for s.isChanged(g.end) {
		g.end++
	}
	return g
}

// next moves g to the following group, unless it is the last.
func (s *side) next(g *group) bool {
	if g.end == s.len() {
		return false
	}
	g.start = g.end + 1
	for g.end = g.start; s.isChanged(g.end); g.end++ {
	}
	return true
}

// previous moves g to the group before, unless it is the first.
func (s *side) previous(g *group) bool {
	if g.start == 0 {
		return false
	}
	g.end = g.start - 1
	for g.start = g.end; s.isChanged(g.start - 1); g.start-- {
	}
	return true
}

// slideDown moves g one line towards the end where that says the same, and
// takes in the group it then touches.
func (s *side) slideDown(g *group) bool {
	if g.end >= s.len() || s.class[g.start] != s.class[g.end] {
		return false
	}
	s.mark(g.start, false)
	g.start++
	s.mark(g.end, true)
	g.end++
	for s.isChanged(g.end) {
		g.end++
	}
	return true
}

// slideUp moves g one line towards the start where that says the same, and
// takes in the group it then touches.
func (s *side) slideUp(g *group) bool {
	if g.start == 0 || s.class[g.start-1] != s.class[g.end-1] {
		return false
	}
	g.start--
	s.mark(g.start, true)
	g.end--
	s.mark(g.end, false)
	for s.isChanged(g.start - 1) {
		g.start--
	}
	return true
}

// compaction moves the groups of one side to where they read best, keeping in
// step with the groups of the other side.
type compaction struct {
	s, other *side
	g, og    group
}

// compact slides every group of s. Where a group may stand in several places it
// prefers to line up with a change on the other side, and else to begin and end
// where the indentation suggests a boundary.
func compact(s, other *side) {
	c := compaction{s: s, other: other, g: s.firstGroup(), og: other.firstGroup()}
	for {
		if c.g.end > c.g.start {
			c.place()
		}
		if !c.s.next(&c.g) {
			return
		}
		c.other.next(&c.og)
	}
}

func (c *compaction) up() bool {
	if !c.s.slideUp(&c.g) {
		return false
	}
	c.other.previous(&c.og)
	return true
}

func (c *compaction) down() bool {
	if !c.s.slideDown(&c.g) {
		return false
	}
	c.other.next(&c.og)
	return true
}

func (c *compaction) facesChange() bool { return c.og.end > c.og.start }

// place puts the current group, which is not empty, where it reads best.
func (c *compaction) place() {
	size, highest, aligned := c.slideThrough()
	switch {
	case c.g.end == highest: // it cannot move
	case aligned:
		for !c.facesChange() && c.up() {
		}
	default:
		best := c.s.bestShift(c.g, size, highest)
		for c.g.end > best && c.up() {
		}
	}
}

// slideThrough moves the group all the way up and then all the way down, again
// for as long as it swallows neighbours. It leaves the group at the bottom and
// tells its size, its highest possible end, and whether some position on the
// way faces a change on the other side.
func (c *compaction) slideThrough() (size, highest int, aligned bool) {
	for {
		size = c.g.end - c.g.start
		for c.up() {
		}
		highest = c.g.end
		aligned = c.facesChange()
		for c.down() {
			aligned = aligned || c.facesChange()
		}
		if size == c.g.end-c.g.start {
			return size, highest, aligned
		}
	}
}
