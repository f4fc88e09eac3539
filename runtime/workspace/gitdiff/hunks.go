package gitdiff

import (
	"bufio"
	"context"
	"fmt"
)

const (
	contextLines = 3
	maxFuncName  = 80 // bytes of a function line shown in a hunk header
)

// edit replaces n1 lines from i1 on with n2 lines from i2 on.
type edit struct{ i1, n1, i2, n2 int }

// lineDiff compares two texts and gives the edits from first to last.
func lineDiff(ctx context.Context, a, b *side) ([]edit, error) {
	if err := compare(ctx, a, b); err != nil {
		return nil, err
	}
	compact(a, b)
	compact(b, a)
	var edits []edit
	i, j := 0, 0
	for i < a.len() || j < b.len() {
		if !a.isChanged(i) && !b.isChanged(j) {
			i++
			j++
			continue
		}
		e := edit{i1: i, i2: j}
		for a.isChanged(i) {
			i++
		}
		for b.isChanged(j) {
			j++
		}
		e.n1, e.n2 = i-e.i1, j-e.i2
		edits = append(edits, e)
	}
	return edits, nil
}

// hunkWriter prints edits with their context.
type hunkWriter struct {
	w        *bufio.Writer // keeps the first error until it is flushed
	a, b     *side
	funcName []byte // of the last hunk printed
	searched int    // lines of a before this one were searched for it
	added    int
	deleted  int
}

func (h *hunkWriter) write(edits []edit) {
	for len(edits) > 0 {
		n := 1
		for n < len(edits) && edits[n].i1-(edits[n-1].i1+edits[n-1].n1) <= 2*contextLines {
			n++
		}
		h.hunk(edits[:n])
		edits = edits[n:]
	}
}

// hunk prints edits that share one header.
func (h *hunkWriter) hunk(edits []edit) {
	first, last := edits[0], edits[len(edits)-1]
	start1, start2 := max(first.i1-contextLines, 0), max(first.i2-contextLines, 0)
	end1, end2 := last.i1+last.n1, last.i2+last.n2
	after := min(contextLines, h.a.len()-end1, h.b.len()-end2)
	h.header(start1, end1+after-start1, start2, end2+after-start2)

	at := start2
	for _, e := range edits {
		h.lines(' ', h.b, at, e.i2)
		h.lines('-', h.a, e.i1, e.i1+e.n1)
		h.lines('+', h.b, e.i2, e.i2+e.n2)
		h.deleted += e.n1
		h.added += e.n2
		at = e.i2 + e.n2
	}
	h.lines(' ', h.b, at, at+after)
}

func (h *hunkWriter) header(start1, n1, start2, n2 int) {
	h.findFunc(start1)
	fmt.Fprintf(h.w, "@@ -%s +%s @@", lineRange(start1, n1), lineRange(start2, n2))
	if len(h.funcName) > 0 {
		fmt.Fprintf(h.w, " %s", h.funcName)
	}
	h.w.WriteByte('\n')
}

// lineRange prints a range of lines. A count of one is left out, and an empty
// range is named by the line before it.
func lineRange(start, n int) string {
	switch n {
	case 0:
		return fmt.Sprintf("%d,0", start)
	case 1:
		return fmt.Sprint(start + 1)
	default:
		return fmt.Sprintf("%d,%d", start+1, n)
	}
}

// findFunc looks above line start of the old text for the nearest line that
// seems to open a function: one that begins with a letter, "_" or "$". Failing
// that, the one found for the last hunk still holds.
func (h *hunkWriter) findFunc(start int) {
	for i := start - 1; i >= h.searched; i-- {
		line := h.a.line(i)
		if !opensFunc(line[0]) {
			continue
		}
		line = line[:min(len(line), maxFuncName)]
		for isSpace(line[len(line)-1]) {
			line = line[:len(line)-1]
		}
		h.funcName = line
		break
	}
	h.searched = start
}

func opensFunc(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}

func (h *hunkWriter) lines(prefix byte, s *side, from, to int) {
	for i := from; i < to; i++ {
		line := s.line(i)
		h.w.WriteByte(prefix)
		h.w.Write(line)
		if line[len(line)-1] != '\n' {
			h.w.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
