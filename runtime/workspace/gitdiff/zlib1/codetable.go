package zlib1

// codeTable is the two codes of a dynamic block and their description, which
// goes before the symbols.
type codeTable struct {
	literals, distances []code
	runs                []run
	runCodes            []code // for the symbols of runs
	sent                int    // how many of the lengths of runCodes are sent
	bits                int    // of the block with the description, without its header
}

// run is one symbol of the description: a code length, or a repetition with
// its extra bits.
type run struct {
	symbol int
	extra  uint32
}

// The repetitions: of the length before, of zero, of zero more often.
const (
	repeatLength = 16
	repeatZero   = 17
	repeatZeros  = 18
)

func repeatExtra(symbol int) uint8 {
	switch symbol {
	case repeatLength:
		return 2
	case repeatZero:
		return 3
	case repeatZeros:
		return 7
	}
	return 0
}

// sendOrder puts code lengths first that are likely to occur.
var sendOrder = [codeLengthCount]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

const (
	minSent   = 4
	countBits = 5 + 5 + 4 // the sizes of the three codes
)

func newCodeTable(b *block) *codeTable {
	t := &codeTable{
		literals:  literalAlphabet.codes(b.literals[:]),
		distances: distanceAlphabet.codes(b.distances[:]),
	}
	t.runs = appendRuns(appendRuns(nil, t.literals), t.distances)
	var counts [codeLengthCount]int
	for _, r := range t.runs {
		counts[r.symbol]++
	}
	t.runCodes = make([]code, codeLengthCount)
	copy(t.runCodes, codeLengthAlphabet.codes(counts[:]))
	t.sent = codeLengthCount
	for t.sent > minSent && t.runCodes[sendOrder[t.sent-1]].length == 0 {
		t.sent--
	}
	t.bits = countBits + 3*t.sent +
		codeLengthAlphabet.cost(counts[:], t.runCodes) +
		literalAlphabet.cost(b.literals[:], t.literals) +
		distanceAlphabet.cost(b.distances[:], t.distances)
	return t
}

// appendRuns describes the lengths of codes.
func appendRuns(runs []run, codes []code) []run {
	for i := 0; i < len(codes); {
		length := codes[i].length
		from := i
		for i < len(codes) && codes[i].length == length {
			i++
		}
		if length == 0 {
			runs = appendZeros(runs, i-from)
		} else {
			runs = appendRepeats(runs, int(length), i-from)
		}
	}
	return runs
}

func appendZeros(runs []run, count int) []run {
	for count > 0 {
		n := min(count, 138)
		count -= n
		switch {
		case n < 3:
			for range n {
				runs = append(runs, run{})
			}
		case n <= 10:
			runs = append(runs, run{symbol: repeatZero, extra: uint32(n - 3)})
		default:
			runs = append(runs, run{symbol: repeatZeros, extra: uint32(n - 11)})
		}
	}
	return runs
}

func appendRepeats(runs []run, length, count int) []run {
	runs = append(runs, run{symbol: length})
	for count--; count > 0; {
		n := min(count, 6)
		count -= n
		if n >= 3 {
			runs = append(runs, run{symbol: repeatLength, extra: uint32(n - 3)})
			continue
		}
		for range n {
			runs = append(runs, run{symbol: length})
		}
	}
	return runs
}

func (t *codeTable) write(w *bitWriter) {
	w.put(uint32(len(t.literals)-firstLength), 5)
	w.put(uint32(len(t.distances)-1), 5)
	w.put(uint32(t.sent-minSent), 4)
	for _, symbol := range sendOrder[:t.sent] {
		w.put(uint32(t.runCodes[symbol].length), 3)
	}
	for _, r := range t.runs {
		w.code(t.runCodes[r.symbol])
		w.put(r.extra, repeatExtra(r.symbol))
	}
}
