package gitdiff

import (
	"bytes"
	"hash/maphash"
)

// side is one of the two texts being compared, as lines.
type side struct {
	data []byte
	off  []int32 // where each line starts, and the length of data at the end
	// class numbers the lines: equal lines, and only they, share a number.
	class   []int32
	changed []bool // see at
	kept    []int32
}

func newSide(data []byte) *side {
	s := &side{data: data, off: make([]int32, 0, bytes.Count(data, []byte{'\n'})+2)}
	for pos := 0; pos < len(data); {
		s.off = append(s.off, int32(pos))
		next := bytes.IndexByte(data[pos:], '\n')
		if next < 0 {
			break
		}
		pos += next + 1
	}
	n := len(s.off)
	s.off = append(s.off, int32(len(data)))
	s.class = make([]int32, n)
	s.changed = make([]bool, n+2)
	return s
}

// len is the number of lines; a last line without a newline counts.
func (s *side) len() int { return len(s.class) }

// line gives line i with its newline, if it has one.
func (s *side) line(i int) []byte { return s.data[s.off[i]:s.off[i+1]] }

// isChanged says whether line i is marked. One line before the first and one
// after the last may be asked for; neither is ever marked.
func (s *side) isChanged(i int) bool { return s.changed[i+1] }

func (s *side) mark(i int, v bool) { s.changed[i+1] = v }

// classes numbers distinct lines over both sides in order of appearance, and
// counts how often each appears on either side.
type classes struct {
	seed  maphash.Seed
	first map[uint64]int32 // hash of a line: its class, the head of a chain
	next  []int32          // the next class with the same hash, or -1
	text  [][]byte
	count [2][]int32
}

// classify fills in the class numbers of both sides.
func classify(a, b *side) *classes {
	c := &classes{seed: maphash.MakeSeed(), first: make(map[uint64]int32, a.len())}
	for which, s := range []*side{a, b} {
		for i := range s.class {
			n := c.number(s.line(i))
			s.class[i] = n
			c.count[which][n]++
		}
	}
	return c
}

func (c *classes) number(line []byte) int32 {
	h := maphash.Bytes(c.seed, line)
	head, ok := c.first[h]
	if !ok {
		head = -1
	}
	for n := head; n >= 0; n = c.next[n] {
		if bytes.Equal(c.text[n], line) {
			return n
		}
	}
	n := int32(len(c.text))
	c.first[h] = n
	c.next = append(c.next, head)
	c.text = append(c.text, line)
	c.count[0] = append(c.count[0], 0)
	c.count[1] = append(c.count[1], 0)
	return n
}
