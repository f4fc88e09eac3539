package gitdiff

// Bounds of what the indentation heuristic looks at.
const (
	maxIndent  = 200  // deeper indentation counts as this
	maxBlanks  = 20   // more blank lines count as this many
	maxSlide   = 100  // positions tried per group
	maxPadding = 4096 // leading whitespace read per line
)

// Weights of the heuristic: git's, found by its authors from a corpus of hand
// rated diffs. A higher penalty makes a worse place to begin or end a change.
const (
	startOfFilePenalty     = 1
	endOfFilePenalty       = 21
	totalBlankWeight       = -30
	postBlankWeight        = 6
	indentPenalty          = -4
	indentBlankPenalty     = 10
	outdentPenalty         = 24
	outdentBlankPenalty    = 17
	dedentPenalty          = 23
	dedentBlankPenalty     = 17
	indentComparisonWeight = 60
)

const blankLine = -1

// indent measures the leading whitespace of line i in columns, tabs to every
// eighth, or tells that the line is blank.
func (s *side) indent(i int) int {
	columns := 0
	for n, c := range s.line(i) {
		switch {
		case !isSpace(c):
			return columns
		case c == ' ':
			columns++
		case c == '\t':
			columns += 8 - columns%8
		}
		if columns >= maxIndent || n >= maxPadding {
			return maxIndent
		}
	}
	return blankLine
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// surroundings describes a boundary between two lines.
type surroundings struct {
	atEnd                 bool
	indent                int // of the line below the boundary
	preBlank, preIndent   int // blank lines above, and the first other line
	postBlank, postIndent int // the same below the line below
}

func (s *side) surroundings(at int) surroundings {
	m := surroundings{indent: blankLine}
	if at >= s.len() {
		m.atEnd = true
	} else {
		m.indent = s.indent(at)
	}
	m.preBlank, m.preIndent = s.firstIndent(at-1, -1)
	m.postBlank, m.postIndent = s.firstIndent(at+1, 1)
	return m
}

// firstIndent skips blank lines from i on and gives their number and the
// indentation of the line that ends them.
func (s *side) firstIndent(i, step int) (blanks, indent int) {
	for ; i >= 0 && i < s.len(); i += step {
		if indent = s.indent(i); indent != blankLine {
			return blanks, indent
		}
		if blanks++; blanks == maxBlanks {
			return blanks, 0
		}
	}
	return blanks, blankLine
}

// score says how bad a place is; indent weighs more than penalty.
type score struct{ indent, penalty int }

func (s *score) add(m surroundings) {
	if m.preIndent == blankLine && m.preBlank == 0 {
		s.penalty += startOfFilePenalty
	}
	if m.atEnd {
		s.penalty += endOfFilePenalty
	}
	indent, below := m.indent, 0
	if m.indent == blankLine {
		indent, below = m.postIndent, 1+m.postBlank
	}
	blanks := m.preBlank + below
	s.penalty += totalBlankWeight*blanks + postBlankWeight*below
	s.indent += indent
	if indent != blankLine && m.preIndent != blankLine {
		s.penalty += stepPenalty(indent, m.preIndent, m.postIndent, blanks > 0)
	}
}

// stepPenalty rates the change of indentation at a boundary: deeper (the body
// of a block), shallower before something deeper (a new block), or shallower
// (the end of a block).
func stepPenalty(indent, before, after int, blanks bool) int {
	pick := func(plain, blank int) int {
		if blanks {
			return blank
		}
		return plain
	}
	switch {
	case indent > before:
		return pick(indentPenalty, indentBlankPenalty)
	case indent == before:
		return 0
	case after != blankLine && after > indent:
		return pick(outdentPenalty, outdentBlankPenalty)
	default:
		return pick(dedentPenalty, dedentBlankPenalty)
	}
}

// noWorse says whether s is at most as bad as o.
func (s score) noWorse(o score) bool {
	order := 0
	switch {
	case s.indent > o.indent:
		order = 1
	case s.indent < o.indent:
		order = -1
	}
	return indentComparisonWeight*order+s.penalty-o.penalty <= 0
}

// bestShift tells where a group of size lines, which may end anywhere from
// highest to g.end, should end. Of equally good places it takes the lowest.
func (s *side) bestShift(g group, size, highest int) int {
	at := max(highest, g.end-size-1, g.end-maxSlide)
	best, bestScore := -1, score{}
	for ; at <= g.end; at++ {
		var now score
		now.add(s.surroundings(at))
		now.add(s.surroundings(at - size))
		if best == -1 || now.noWorse(bestScore) {
			best, bestScore = at, now
		}
	}
	return best
}
