package editor

import (
	"bytes"
	"fmt"
)

// numbered writes lines with their numbers and a tab before them.
type numbered struct {
	out   []byte
	limit int // bytes for all of it
	width int // bytes for one line
	next  int // number of the next line
	cut   int // the last line that was shortened, or 0
}

// add writes the lines of text until there is no room, and reports whether all
// of them were written. A line is shortened when it is wider than allowed, or
// when it comes first and there is room for a part of it only.
func (n *numbered) add(text []byte) bool {
	for len(text) > 0 {
		line, rest, ended := bytes.Cut(text, []byte("\n"))
		if ended {
			line = bytes.TrimSuffix(line, []byte("\r"))
		}
		before := len(n.out)
		n.out = fmt.Appendf(n.out, "%6d\t", n.next)
		content := len(n.out)
		var cut bool
		n.out, cut = appendVisibleLine(n.out, line, n.width)
		if len(n.out) >= n.limit {
			if before > 0 {
				n.out = n.out[:before]
				return false
			}
			n.out, cut = appendVisibleLine(n.out[:content], line, max(n.limit-content, 0))
		}
		if cut {
			n.cut = n.next
		}
		n.out = append(n.out, '\n')
		n.next++
		text = rest
	}
	return true
}
