package editor

import (
	"bytes"
	"fmt"
	"strings"
)

// similarPlace finds the lines of the file that share most with old: those
// where most of its lines stand in the same order, else the one that is most
// similar to its longest line.
func similarPlace(data []byte, old string) (place, bool) {
	wanted := foldLines([]byte(strings.TrimSuffix(old, "\n")))
	lines := foldLines(data)
	at, ok := bestShift(wanted, lines)
	if !ok {
		at, ok = mostSimilar(wanted, lines)
	}
	if !ok {
		return place{}, false
	}
	first, last := max(at, 0), min(at+len(wanted), len(lines))
	start := lineStart(data, first+1)
	end := start + lineStart(data[start:], last-first+1)
	if !strings.HasSuffix(old, "\n") {
		end -= len(data[start:end]) - len(bytes.TrimRight(data[start:end], "\r\n"))
	}
	return place{start: start, end: end, old: old}, true
}

func foldLines(text []byte) []string {
	var lines []string
	for line := range bytes.Lines(text) {
		lines = append(lines, string(fold(line)))
	}
	return lines
}

// bestShift lets each line that occurs in both vote for the distance between
// its two places. It wants a third of the wanted text to agree.
func bestShift(wanted, lines []string) (int, bool) {
	const mostPlaces = 8 // of the same line; more say nothing
	places, total := map[string][]int{}, 0
	for i, line := range wanted {
		total += len(line)
		if len(line) > 3 && len(places[line]) < mostPlaces {
			places[line] = append(places[line], i)
		}
	}
	votes, best := map[int]int{}, 0
	bestAt := 0
	for j, line := range lines {
		for _, i := range places[line] {
			votes[j-i] += len(line)
			if votes[j-i] > best {
				best, bestAt = votes[j-i], j-i
			}
		}
	}
	return bestAt, best > 0 && best*3 >= total
}

// mostSimilar compares pairs of neighbouring bytes. Lines that have little more
// than half of them in common are not called similar.
func mostSimilar(wanted, lines []string) (int, bool) {
	const enough = 0.55
	longest := 0
	for i, line := range wanted {
		if len(line) > len(wanted[longest]) {
			longest = i
		}
	}
	if len(wanted) == 0 || len(wanted[longest]) < 4 {
		return 0, false
	}
	target := newPairs(wanted[longest])
	best, bestAt := 0.0, 0
	for j, line := range lines {
		if score := target.likeness(line); score > best {
			best, bestAt = score, j
		}
	}
	return bestAt - longest, best >= enough
}

// pairs counts the pairs of neighbouring bytes of one line.
type pairs struct {
	counts []int32 // by pair; restored after each comparison
	total  int
}

// pairsWidth is how much of a line is compared.
const pairsWidth = 300

func newPairs(line string) pairs {
	p := pairs{counts: make([]int32, 1<<16)}
	p.total = eachPair(line, func(pair uint16) { p.counts[pair]++ })
	return p
}

// likeness is 1 for a line with the same pairs and 0 for one without any.
func (p pairs) likeness(line string) float64 {
	shared := 0
	total := eachPair(line, func(pair uint16) {
		if p.counts[pair] > 0 {
			shared++
		}
		p.counts[pair]--
	})
	eachPair(line, func(pair uint16) { p.counts[pair]++ })
	return float64(2*shared) / float64(max(total+p.total, 1))
}

func eachPair(line string, do func(uint16)) int {
	line = line[:min(len(line), pairsWidth)]
	for i := 1; i < len(line); i++ {
		do(uint16(line[i-1])<<8 | uint16(line[i]))
	}
	return max(len(line)-1, 0)
}

const (
	compareMost  = 6   // lines of each text
	compareWidth = 200 // bytes of a line
)

// compareLines shows the lines that differ, those of old_str with a minus and
// those of the file with a plus and their numbers.
func compareLines(old, there string, line int) string {
	a, b := strings.Split(strings.TrimSuffix(old, "\n"), "\n"), strings.Split(strings.TrimSuffix(there, "\n"), "\n")
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	a, b = a[head:], b[head:]
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	var text strings.Builder
	for i, side := range [][]string{a, b} {
		for j, content := range side {
			if j == compareMost {
				fmt.Fprintf(&text, "  [%s more]\n", plural(len(side)-compareMost, "line"))
				break
			}
			shown, _ := appendVisibleLine(nil, []byte(content), compareWidth)
			if i == 0 {
				fmt.Fprintf(&text, "- old_str\t%s\n", shown)
			} else {
				fmt.Fprintf(&text, "+%8d\t%s\n", line+head+j, shown)
			}
		}
	}
	return text.String()
}
