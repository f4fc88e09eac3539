package workspace

import (
	"fmt"
	"strings"
	"unicode"
)

const maxNotes = 100

// notes collects messages, without becoming as long as a hostile tree.
type notes struct {
	lines []string
	more  int
}

func (n *notes) addf(format string, args ...any) {
	if len(n.lines) >= maxNotes-1 {
		n.more++
		return
	}
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

// list gives the messages, the last one counting those without room: "5 more
// files" if what is "more files".
func (n *notes) list(what string) []string {
	if n.more == 0 {
		return n.lines
	}
	return append(n.lines, fmt.Sprintf("and %d %s", n.more, what))
}

// maxQuoted bounds what a note cites of a text from elsewhere, in bytes.
const maxQuoted = 200

// shorten makes one line of a text from elsewhere that fits into a note.
func shorten(s string) string {
	if len(s) > maxQuoted {
		s = s[:maxQuoted] + "…"
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}
