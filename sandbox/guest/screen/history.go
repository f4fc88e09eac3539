package screen

// What is kept of lines scrolled away.
const (
	// MaxHistory is how many lines are kept at most.
	MaxHistory      = 1000
	maxHistoryBytes = 256 << 10
)

// history holds the newest lines that left the screen at the top.
type history struct {
	lines []string
	bytes int
}

func (h *history) add(line string) {
	h.lines = append(h.lines, line)
	h.bytes += len(line)
	drop := 0
	for len(h.lines)-drop > MaxHistory || h.bytes > maxHistoryBytes {
		h.bytes -= len(h.lines[drop])
		drop++
	}
	h.lines = h.lines[drop:]
}

func (h *history) last(n int) []string {
	n = min(max(n, 0), len(h.lines))
	return append([]string(nil), h.lines[len(h.lines)-n:]...)
}
