package zlib1

import "encoding/binary"

// maxSymbols ends a block; an encoder with the library's default settings has
// room for one more.
const maxSymbols = 1<<14 - 1

// The ways to code a block, as its header names them.
const (
	stored = iota
	fixed
	dynamic
)

// storedHeader is the bytes that stored data costs on top of the block header.
const storedHeader = 4

// block collects symbols and how often each occurs.
type block struct {
	start     int // in the data
	symbols   []symbol
	literals  [literalCount]int
	distances [distanceCount]int
}

// symbol is a literal if distance is zero, or else a match.
type symbol struct {
	value    uint16 // the byte, or the length
	distance uint16
}

func (b *block) full() bool { return len(b.symbols) == maxSymbols }

func (b *block) addLiteral(c byte) {
	b.symbols = append(b.symbols, symbol{value: uint16(c)})
	b.literals[c]++
}

func (b *block) addMatch(distance, length int) {
	b.symbols = append(b.symbols, symbol{value: uint16(length), distance: uint16(distance)})
	b.literals[lengthSpans[length].symbol]++
	b.distances[distanceSpans[distanceSlot(distance-1)].symbol]++
}

// flush writes the block, which ends before end, in the cheapest way.
func (e *encoder) flush(end int, last bool) {
	b := &e.block
	b.literals[endOfBlock] = 1
	t := newCodeTable(b)
	fixedBits := literalAlphabet.cost(b.literals[:], fixedLiterals) +
		distanceAlphabet.cost(b.distances[:], fixedDistances)
	fixedBytes, dynamicBytes := wholeBytes(fixedBits), wholeBytes(t.bits)
	best := min(fixedBytes, dynamicBytes)
	switch {
	// The library no longer has the start of a block that the window left.
	case end-b.start+storedHeader <= best && b.start >= e.base:
		e.beginBlock(stored, last)
		e.store(e.data[b.start:end])
	case fixedBytes == best:
		e.beginBlock(fixed, last)
		e.writeSymbols(fixedLiterals, fixedDistances)
	default:
		e.beginBlock(dynamic, last)
		t.write(&e.out)
		e.writeSymbols(t.literals, t.distances)
	}
	if last {
		e.out.align()
	}
	*b = block{start: end, symbols: b.symbols[:0]}
}

// wholeBytes is the size of a block with its header of three bits.
func wholeBytes(bits int) int { return (bits + 3 + 7) / 8 }

func (e *encoder) beginBlock(kind uint32, last bool) {
	header := kind << 1
	if last {
		header |= 1
	}
	e.out.put(header, 3)
}

// store writes p as it is. Its length fits 16 bits, because the window slides
// before it is full and only a block that is all in the window is stored.
func (e *encoder) store(p []byte) {
	e.out.align()
	n := uint16(len(p))
	e.out.bytes = binary.LittleEndian.AppendUint16(e.out.bytes, n)
	e.out.bytes = binary.LittleEndian.AppendUint16(e.out.bytes, ^n)
	e.out.bytes = append(e.out.bytes, p...)
}

func (e *encoder) writeSymbols(literals, distances []code) {
	for _, s := range e.block.symbols {
		if s.distance == 0 {
			e.out.code(literals[s.value])
			continue
		}
		l := lengthSpans[s.value]
		e.out.code(literals[l.symbol])
		e.out.put(uint32(s.value-l.first), l.extra)
		lessOne := s.distance - 1
		d := distanceSpans[distanceSlot(int(lessOne))]
		e.out.code(distances[d.symbol])
		e.out.put(uint32(lessOne-d.first), d.extra)
	}
	e.out.code(literals[endOfBlock])
}
