package editor

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"
)

// Bounds of the search for a near miss; beyond them the answer only says that
// old_str was not found.
const (
	maxMissFile = 8 << 20
	maxMissText = 64 << 10
)

// place is where old_str was probably meant to match: file[start:end].
type place struct {
	start, end int
	also       []int  // lines of further places that are as close
	cause      string // "" when causes are found by comparing
	old        string // old_str as it was understood, to compare with
}

// explainMiss says why old_str did not match: the closest place, what differs
// there, and both texts.
func explainMiss(data []byte, old, newStr, shown string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "old_str was not found in %s, and nothing was changed.", shown)
	if len(newStr) > 3 {
		if already := find(data, newStr); len(already.offsets) > 0 {
			fmt.Fprintf(&text, " new_str stands there already, at line %s: perhaps the edit has been made.", already.lines())
		}
	}
	if len(data) > maxMissFile || len(old) > maxMissText {
		return text.String()
	}
	p, ok := closest(data, old)
	if !ok {
		text.WriteString(" Nothing in the file is similar; view it and copy the text from there.")
		return text.String()
	}
	text.WriteString(describeMiss(data, p))
	return text.String()
}

// closest looks for old_str with all small differences ignored, then for old_str
// without what models often add to it, then for similar lines.
func closest(data []byte, old string) (place, bool) {
	folded := fold(data)
	if p, ok := foldedPlace(data, folded, old); ok {
		return p, true
	}
	for _, habit := range []struct {
		cause string
		mend  func(string) string
	}{
		{"old_str has the line numbers of a view in it", withoutLineNumbers},
		{`old_str has a backslash and a letter (\n, \t, \") where the file has the character itself`, unescape},
		{"old_str has HTML entities where the file has the characters themselves", html.UnescapeString},
	} {
		mended := habit.mend(old)
		if mended == old {
			continue
		}
		if p, ok := foldedPlace(data, folded, mended); ok {
			p.cause = habit.cause
			return p, true
		}
	}
	return similarPlace(data, old)
}

// foldedPlace finds text that is the same as old once folded.
func foldedPlace(data, folded []byte, old string) (place, bool) {
	wanted := fold([]byte(old))
	if len(wanted) == 0 {
		return place{}, false
	}
	at := bytes.Index(folded, wanted)
	if at < 0 {
		return place{}, false
	}
	p := place{old: old}
	p.start, p.end = unfoldSpan(data, at, at+len(wanted))
	p.start = widenLeft(data, p.start, old)
	p.end = widenRight(data, p.end, old)
	for range 5 {
		next := bytes.Index(folded[at+len(wanted):], wanted)
		if next < 0 {
			break
		}
		at += len(wanted) + next
		start, _ := unfoldSpan(data, at, at+len(wanted))
		p.also = append(p.also, lineAt(data, start))
	}
	return p, true
}

// widenLeft takes in the white space before a place, as far as old begins with
// white space too: as many line breaks, and the blanks around them.
func widenLeft(data []byte, start int, old string) int {
	lead := old[:len(old)-len(strings.TrimLeft(old, " \t\r\n"))]
	breaks := strings.Count(lead, "\n")
	if lead == "" {
		return start
	}
	for start > 0 {
		switch b := data[start-1]; {
		case b == '\n' && breaks > 0:
			breaks--
		case b == '\r' || b == ' ' || b == '\t':
			if breaks == 0 && strings.HasPrefix(lead, "\n") && b != '\r' {
				return start
			}
		default:
			return start
		}
		start--
	}
	return start
}

// widenRight does the same behind a place.
func widenRight(data []byte, end int, old string) int {
	trail := old[len(strings.TrimRight(old, " \t\r\n")):]
	breaks := strings.Count(trail, "\n")
	if trail == "" {
		return end
	}
	for end < len(data) {
		switch b := data[end]; {
		case b == '\n' && breaks > 0:
			breaks--
			if breaks == 0 && strings.HasSuffix(trail, "\n") {
				return end + 1
			}
		case b == ' ' || b == '\t', b == '\r' && breaks > 0:
		default:
			return end
		}
		end++
	}
	return end
}

// withoutLineNumbers removes "    12\t" from each line, if each line that is
// not blank has it.
func withoutLineNumbers(text string) string {
	number := regexp.MustCompile(`^ *[0-9]+\t`)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		mark := number.FindString(line)
		if mark == "" && strings.TrimSpace(line) != "" {
			return text
		}
		lines[i] = line[len(mark):]
	}
	return strings.Join(lines, "\n")
}

func unescape(text string) string {
	return strings.NewReplacer(`\r\n`, "\n", `\n`, "\n", `\t`, "\t", `\"`, `"`, `\'`, `'`, `\\`, `\`).Replace(text)
}
