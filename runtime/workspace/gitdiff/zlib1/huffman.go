package zlib1

import "math/bits"

// code is the bits that stand for a symbol; a length of zero means that the
// symbol does not occur.
type code struct {
	value  uint16
	length uint8
}

// canonical gives the codes that have the given lengths: shorter ones first,
// then by symbol. The stream takes codes from their highest bit on.
func canonical(lengths []uint8) []code {
	var count, next [longestCode + 1]uint16
	for _, n := range lengths {
		count[n]++
	}
	count[0] = 0
	for n := 1; n <= longestCode; n++ {
		next[n] = (next[n-1] + count[n-1]) << 1
	}
	codes := make([]code, len(lengths))
	for i, n := range lengths {
		if n > 0 {
			codes[i] = code{value: bits.Reverse16(next[n]) >> (16 - n), length: n}
			next[n]++
		}
	}
	return codes
}

// The fixed codes of the format.
var (
	fixedLiterals  = canonical(fixedLiteralLengths())
	fixedDistances = canonical(fixedDistanceLengths())
)

// fixedLiteralLengths has two more than there are symbols, to complete the code.
func fixedLiteralLengths() []uint8 {
	lengths := make([]uint8, literalCount+2)
	for i := range lengths {
		switch {
		case i < 144, i >= 280:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		default:
			lengths[i] = 7
		}
	}
	return lengths
}

func fixedDistanceLengths() []uint8 {
	lengths := make([]uint8, distanceCount)
	for i := range lengths {
		lengths[i] = 5
	}
	return lengths
}

// cost is how many bits the symbols take that occur as often as counts says,
// with the extra bits after them.
func (a alphabet) cost(counts []int, codes []code) int {
	total := 0
	for symbol, n := range counts {
		if n > 0 {
			total += n * int(codes[symbol].length+a.extra(symbol))
		}
	}
	return total
}

// codes makes the code for symbols that occur as often as counts says. It ends
// with the last symbol that has one.
func (a alphabet) codes(counts []int) []code {
	t := newTree(counts)
	t.join()
	return canonical(t.lengths(a.longest))
}
