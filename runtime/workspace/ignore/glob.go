package ignore

import "strings"

// A glob is a compiled shell pattern: a sequence of steps, each of which takes
// one byte of the text except the stars, which take any number.
type glob struct {
	steps []step
	stars int
}

type stepKind byte

const (
	literal stepKind = iota
	anyByte
	class
	star     // any bytes but "/"
	deepStar // any bytes
	never    // a malformed pattern: matches nothing
)

type step struct {
	kind stepKind
	c    byte
	set  *byteSet // of a class
	// optional marks a deepStar that stands for whole directories: the slash
	// after it may be missing along with them.
	optional bool
	ordinal  int // of a star
}

type byteSet [256]bool

// compile reads a pattern. In a path pattern "/" is matched only by itself and
// "**" between slashes; otherwise "/" is a byte like any other.
func compile(pattern string, path bool) glob {
	g := glob{}
	for i := 0; i < len(pattern); {
		var s step
		switch c := pattern[i]; c {
		case '*':
			s, i = compileStar(pattern, i, path)
			s.ordinal = g.stars
			g.stars++
		case '?':
			s, i = step{kind: anyByte}, i+1
		case '[':
			s, i = compileClass(pattern, i+1)
		case '\\':
			if i++; i == len(pattern) {
				s = step{kind: never}
				break
			}
			s, i = step{kind: literal, c: pattern[i]}, i+1
		default:
			s, i = step{kind: literal, c: c}, i+1
		}
		if path && (s.kind == anyByte || s.kind == class) {
			s = withoutSlash(s)
		}
		g.steps = append(g.steps, s)
		if s.kind == never {
			break
		}
	}
	return g
}

func withoutSlash(s step) step {
	if s.set == nil {
		set := byteSet{}
		for c := range set {
			set[c] = true
		}
		s = step{kind: class, set: &set}
	}
	s.set['/'] = false
	return s
}

// compileStar reads a run of stars.
func compileStar(pattern string, i int, path bool) (step, int) {
	start := i
	for i < len(pattern) && pattern[i] == '*' {
		i++
	}
	if !path {
		return step{kind: deepStar}, i
	}
	rest := pattern[i:]
	atStart := start == 0 || pattern[start-1] == '/'
	atEnd := rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`)
	if i-start < 2 || !atStart || !atEnd {
		return step{kind: star}, i
	}
	return step{kind: deepStar, optional: strings.HasPrefix(rest, "/")}, i
}

// match says whether the whole text matches. What it costs is taken off budget;
// with none left nothing matches.
func (g glob) match(text string, budget *int) bool {
	m := matching{glob: g, text: text, budget: budget}
	return m.from(0, 0)
}

// matching is one match under way. What was found to fail from a star is
// remembered, so that many stars cost no more than pattern times text.
type matching struct {
	glob
	text   string
	failed []uint64 // a bit per star and place in text
	budget *int
}

func (m *matching) from(i, at int) bool {
	for ; i < len(m.steps); i++ {
		s := m.steps[i]
		if s.kind == star || s.kind == deepStar {
			return m.fromStar(i, at)
		}
		if at == len(m.text) || !s.takes(m.text[at]) {
			return false
		}
		at++
	}
	return at == len(m.text)
}

func (s step) takes(c byte) bool {
	switch s.kind {
	case literal:
		return c == s.c
	case anyByte:
		return true
	case class:
		return s.set[c]
	default:
		return false
	}
}

func (m *matching) fromStar(i, at int) bool {
	s := m.steps[i]
	if i == len(m.steps)-1 {
		return s.kind == deepStar || !strings.Contains(m.text[at:], "/")
	}
	if m.knownToFail(s, at) {
		return false
	}
	if s.optional && m.from(i+2, at) {
		return true
	}
	for end := at; *m.budget > 0; end++ {
		*m.budget--
		if m.from(i+1, end) {
			return true
		}
		if end == len(m.text) || s.kind == star && m.text[end] == '/' {
			break
		}
	}
	m.noteFailure(s, at)
	return false
}

func (m *matching) bit(s step, at int) (word int, mask uint64) {
	n := s.ordinal*(len(m.text)+1) + at
	return n / 64, 1 << (n % 64)
}

func (m *matching) knownToFail(s step, at int) bool {
	if m.failed == nil {
		return false
	}
	word, mask := m.bit(s, at)
	return m.failed[word]&mask != 0
}

func (m *matching) noteFailure(s step, at int) {
	if m.stars < 2 {
		return
	}
	if m.failed == nil {
		m.failed = make([]uint64, m.stars*(len(m.text)+1)/64+1)
		*m.budget -= len(m.failed)
	}
	word, mask := m.bit(s, at)
	m.failed[word] |= mask
}
