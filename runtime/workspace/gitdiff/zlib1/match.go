package zlib1

import "encoding/binary"

// The limits of the format and of level 1.
const (
	windowSize   = 1 << 15
	minMatch     = 3
	maxMatch     = 258
	minLookahead = maxMatch + minMatch + 1
	maxDistance  = windowSize - minLookahead
	hashSize     = 1 << 15

	maxChain   = 4 // candidates looked at
	niceLength = 8 // a match this long ends the search
	maxInsert  = 4 // the positions inside a longer match are not indexed
)

// encoder splits data into literals and matches, greedily: it takes the first
// match there is. The tables hold positions in data. Zero stands for none,
// which is exact, as the first position of a window is never matched.
type encoder struct {
	data []byte
	// base is where the window begins. The library keeps two windows' worth of
	// data and moves it down by one when it gets near the end.
	base     int
	head     [hashSize]uint32   // by hash: the latest position
	previous [windowSize]uint32 // by position, modulo: the one before with the same hash
	block    block
	out      bitWriter
}

func (e *encoder) run() {
	for pos := 0; pos < len(e.data); {
		e.slide(pos)
		distance, length := e.match(pos)
		if length >= minMatch {
			e.block.addMatch(distance, length)
			e.indexInside(pos, length)
			pos += length
		} else {
			e.block.addLiteral(e.data[pos])
			pos++
		}
		if e.block.full() {
			e.flush(pos, false)
		}
	}
	e.flush(len(e.data), true)
}

// slide moves the window when too little of it is left ahead of pos.
func (e *encoder) slide(pos int) {
	ahead := min(e.base+2*windowSize, len(e.data)) - pos
	if ahead < minLookahead && pos-e.base >= windowSize+maxDistance {
		e.base += windowSize
	}
}

// index records pos and gives the position before it with the same hash. Three
// bytes must be there.
func (e *encoder) index(pos int) int {
	p := e.data[pos : pos+minMatch]
	h := (uint32(p[0])<<10 ^ uint32(p[1])<<5 ^ uint32(p[2])) % hashSize
	before := e.head[h]
	e.previous[pos%windowSize] = before
	e.head[h] = uint32(pos)
	return int(before)
}

// indexInside records the rest of a short match. Near the end there is nothing
// left to match, and the library stops indexing.
func (e *encoder) indexInside(pos, length int) {
	if length > maxInsert || len(e.data)-pos-length < minMatch {
		return
	}
	for i := 1; i < length; i++ {
		e.index(pos + i)
	}
}

// match indexes pos and finds the longest match for it among the candidates,
// the nearest first. A length below minMatch means none.
func (e *encoder) match(pos int) (distance, length int) {
	rest := e.data[pos:]
	if len(rest) < minMatch {
		return 0, 0
	}
	candidate := e.index(pos)
	// The first candidate may be one byte further away than those after it.
	if candidate <= e.base || pos-candidate > maxDistance {
		return 0, 0
	}
	limit := max(e.base, pos-maxDistance)
	rest = rest[:min(len(rest), maxMatch)]
	nice := min(niceLength, len(rest))
	length = minMatch - 1
	for range maxChain {
		if n := commonPrefix(e.data[candidate:], rest); n > length {
			distance, length = pos-candidate, n
			if n >= nice {
				break
			}
		}
		candidate = int(e.previous[candidate%windowSize])
		if candidate <= limit {
			break
		}
	}
	return distance, length
}

// commonPrefix counts the bytes that long and short begin with alike.
func commonPrefix(long, short []byte) int {
	long = long[:len(short)]
	i := 0
	for i+8 <= len(short) && binary.LittleEndian.Uint64(long[i:]) == binary.LittleEndian.Uint64(short[i:]) {
		i += 8
	}
	for i < len(short) && long[i] == short[i] {
		i++
	}
	return i
}
