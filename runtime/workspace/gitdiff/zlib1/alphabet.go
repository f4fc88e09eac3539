package zlib1

// The symbols of the literal code are the bytes, the end of the block and the
// lengths of matches.
const (
	endOfBlock      = 256
	firstLength     = 257
	literalCount    = firstLength + 29
	distanceCount   = 30
	codeLengthCount = 19
	longestCode     = 15
)

// alphabet is what one of the three codes of a block can express.
type alphabet struct {
	size    int
	longest int             // bits a code may have
	extra   func(int) uint8 // bits that follow a symbol
}

var (
	literalAlphabet  = alphabet{size: literalCount, longest: longestCode, extra: lengthExtra}
	distanceAlphabet = alphabet{size: distanceCount, longest: longestCode, extra: distanceExtra}
	// The third one describes the code lengths of the other two.
	codeLengthAlphabet = alphabet{size: codeLengthCount, longest: 7, extra: repeatExtra}
)

// lengthExtra and distanceExtra grow by one every four, or two, symbols. The
// longest match has a symbol for itself.
func lengthExtra(symbol int) uint8 {
	n := symbol - firstLength
	if n < 8 || symbol == literalCount-1 {
		return 0
	}
	return uint8(n/4 - 1)
}

func distanceExtra(symbol int) uint8 { return uint8(max(symbol/2-1, 0)) }

// span is a symbol that stands for a range of values.
type span struct {
	symbol int
	first  uint16
	extra  uint8
}

// lengthSpans are by match length and distanceSpans by distance less one, up to
// 256 one by one and by 128 from there.
var (
	lengthSpans   = makeLengthSpans()
	distanceSpans = makeDistanceSpans()
)

func makeLengthSpans() (spans [maxMatch + 1]span) {
	length := minMatch
	for symbol := firstLength; symbol < literalCount; symbol++ {
		s := span{symbol: symbol, first: uint16(length), extra: lengthExtra(symbol)}
		for i := 0; i < 1<<s.extra && length < maxMatch; i++ {
			spans[length] = s
			length++
		}
	}
	spans[maxMatch] = span{symbol: literalCount - 1, first: maxMatch}
	return spans
}

func makeDistanceSpans() (spans [512]span) {
	distance := 0
	for symbol := range distanceCount {
		s := span{symbol: symbol, first: uint16(distance), extra: distanceExtra(symbol)}
		for range 1 << s.extra {
			spans[distanceSlot(distance)] = s
			distance++
		}
	}
	return spans
}

func distanceSlot(lessOne int) int {
	if lessOne < 256 {
		return lessOne
	}
	return 256 + lessOne>>7
}
