package editor

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

func (e *Editor) replace(ctx context.Context, args Args) (Answer, error) {
	var newStr string
	if args.NewStr != nil {
		newStr = *args.NewStr
	}
	shown := showPath(e.absolute(args.Path))
	return e.edit(ctx, args, func(data []byte) (splice, *Answer) {
		found := find(data, *args.OldStr)
		var refusal Answer
		switch len(found.offsets) {
		case 0:
			refusal = toolError("%s", explainMiss(data, *args.OldStr, newStr, shown))
		case 1:
			start, end := found.span()
			if s := (splice{at: start, removed: end - start, added: newText(data, start, end, newStr)}); changes(data, s) {
				return s, nil
			}
			refusal = toolError("Line %d of %s already reads like new_str; nothing was changed.", lineAt(data, start), shown)
		default:
			refusal = toolError("old_str occurs %s in %s, at lines %s. Nothing was changed; add neighbouring lines to old_str so that it names one place.",
				found.times(), shown, found.lines())
		}
		return splice{}, &refusal
	})
}

func changes(data []byte, s splice) bool {
	return !bytes.Equal(data[s.at:s.at+s.removed], s.added)
}

// newText is new_str as it is written: in the line endings of the place, unless
// that would leave all as it is. Then the endings are what was to be changed.
func newText(data []byte, start, end int, newStr string) []byte {
	text := respell(data, start, end, newStr)
	if bytes.Equal(text, data[start:end]) {
		return []byte(newStr)
	}
	return text
}

// maxMatches bounds the search: beyond it only "many" matters.
const maxMatches = 1000

// matches is where old_str occurs. Overlapping places count each, because it
// is as unclear which of them was meant.
type matches struct {
	data    []byte // the file
	text    []byte // what was searched: the file, perhaps with CRLF as LF
	length  int    // of each match in text
	offsets []int  // in text
}

// find looks for old as it is. In a file with CRLF, an old that has only bare
// newlines finds them too.
func find(data []byte, old string) matches {
	m := matches{data: data, text: data, length: len(old)}
	if strings.Contains(old, "\n") && !strings.Contains(old, "\r\n") {
		if folded := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")); len(folded) < len(data) {
			m.text = folded
			if m.offsets = offsets(folded, old); len(m.offsets) > 0 {
				return m
			}
			m.text = data
		}
	}
	m.offsets = offsets(m.text, old)
	return m
}

func offsets(text []byte, old string) []int {
	var found []int
	for from := 0; len(found) < maxMatches; {
		i := bytes.Index(text[from:], []byte(old))
		if i < 0 {
			break
		}
		found = append(found, from+i)
		from += i + 1
	}
	return found
}

// span returns the first match in the file itself. Where it begins or ends
// with a newline that is a CRLF in the file, both bytes belong to it.
func (m matches) span() (start, end int) {
	start, end = m.offsets[0], m.offsets[0]+m.length
	if len(m.text) != len(m.data) {
		start, end = unfold(m.data, start), unfold(m.data, end)
	}
	return start, end
}

// unfold turns an offset in data with CRLF as LF into one in data.
func unfold(data []byte, offset int) int {
	raw := 0
	for {
		i := bytes.Index(data[raw:], []byte("\r\n"))
		if i < 0 || offset <= i {
			return raw + offset
		}
		offset -= i + 1
		raw += i + 2
	}
}

func (m matches) times() string {
	if len(m.offsets) == maxMatches {
		return fmt.Sprintf("%d times or more", maxMatches)
	}
	return plural(len(m.offsets), "time")
}

// lines lists the line numbers of the matches, the first ones if there are
// very many.
func (m matches) lines() string {
	const most = 50
	var text strings.Builder
	line, from := 1, 0
	for i, offset := range m.offsets {
		if i == most {
			fmt.Fprintf(&text, " and %d more", len(m.offsets)-most)
			break
		}
		if i > 0 {
			text.WriteString(", ")
		}
		line += bytes.Count(m.text[from:offset], []byte("\n"))
		from = offset
		fmt.Fprint(&text, line)
	}
	return text.String()
}
