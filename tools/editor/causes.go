package editor

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// relaxation ignores one kind of difference between two texts.
type relaxation struct {
	cause string
	apply func(string) string
}

// relaxations are all that fold ignores, one by one. Those that ignore much
// come first, so that the ones which explain more exactly are named.
func relaxations() []relaxation {
	return []relaxation{
		{"the line breaks are at other places", dropRunes(func(r rune) bool { return r == '\n' })},
		{"the whitespace within lines differs", dropRunes(func(r rune) bool { return isBlank(r) && r != '\n' })},
		{"the indentation differs", eachLine(func(s string) string { return strings.TrimLeftFunc(s, isBlank) })},
		{"the whitespace at the end of a line differs", eachLine(func(s string) string { return strings.TrimRightFunc(s, isBlank) })},
		{"the line endings differ", strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace},
		{"the case of letters differs", strings.ToLower},
		{"there are invisible characters in one of them", dropRunes(isInvisible)},
		{"accents, or the way accented letters are composed, differ", mapRunes(unaccented)},
		{"quotes or other look-alike characters differ", mapRunes(plainSpaceOrLookAlike)},
		{"old_str has the stand-ins that a view shows for other characters", mapRunes(visibleInText)},
	}
}

func dropRunes(drop func(rune) bool) func(string) string {
	return mapRunes(func(r rune) rune {
		if drop(r) {
			return -1
		}
		return r
	})
}

func mapRunes(change func(rune) rune) func(string) string {
	return func(text string) string { return strings.Map(change, text) }
}

func eachLine(change func(string) string) func(string) string {
	return func(text string) string {
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			lines[i] = change(line)
		}
		return strings.Join(lines, "\n")
	}
}

func plainSpaceOrLookAlike(r rune) rune {
	if r > utf8.RuneSelf && isBlank(r) {
		return ' '
	}
	return lookAlike(r)
}

func visibleInText(r rune) rune {
	if r == '\n' || r == '\r' {
		return r
	}
	return visible(r)
}

// causesOf names the fewest kinds of difference that explain why two texts are
// not the same; none if they differ otherwise.
func causesOf(a, b string) []string {
	needed := relaxations()
	if !sameUnder(needed, a, b) {
		return nil
	}
	for i := 0; i < len(needed); {
		fewer := append(append([]relaxation{}, needed[:i]...), needed[i+1:]...)
		if sameUnder(fewer, a, b) {
			needed = fewer
		} else {
			i++
		}
	}
	var causes []string
	for _, r := range needed {
		causes = append(causes, r.cause)
	}
	return causes
}

func sameUnder(relaxed []relaxation, a, b string) bool {
	for i := len(relaxed) - 1; i >= 0; i-- {
		a, b = relaxed[i].apply(a), relaxed[i].apply(b)
	}
	return a == b
}

// describeMiss names the place, what differs there, and shows both texts.
func describeMiss(data []byte, p place) string {
	there := string(data[p.start:p.end])
	if !strings.Contains(p.old, "\r") {
		there = strings.ReplaceAll(there, "\r\n", "\n")
	}
	line := lineAt(data, p.start)
	var text strings.Builder
	fmt.Fprintf(&text, " The closest place is %s", lineSpan(line, lineAt(data, max(p.end-1, p.start))))
	causes := causesOf(there, p.old)
	switch {
	case p.cause != "":
		fmt.Fprintf(&text, ": %s", p.cause)
	case len(causes) > 0:
		fmt.Fprintf(&text, ": %s", strings.Join(causes, ", and "))
	default:
		text.WriteString(", which is similar")
	}
	if len(p.also) > 0 {
		fmt.Fprintf(&text, " (as close: line %s)", strings.Trim(fmt.Sprint(p.also), "[]"))
	}
	text.WriteString(".")
	if difference, ok := firstDifference([]byte(p.old), []byte(there), data[p.end:], line); ok {
		text.WriteString(" " + difference)
	}
	text.WriteString("\n" + compareLines(p.old, there, line))
	return text.String()
}

func lineSpan(first, last int) string {
	if first >= last {
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d to %d", first, last)
}

// firstDifference points at the first character that is not the same. What
// follows in the file counts where old is longer.
func firstDifference(old, there, follows []byte, line int) (string, bool) {
	i := 0
	for i < len(old) && i < len(there) && old[i] == there[i] {
		i++
	}
	if i == len(old) && i == len(there) {
		return "", false
	}
	for i > 0 && (midRune(old, i) || midRune(there, i)) {
		i--
	}
	rest := there[i:]
	if len(rest) == 0 {
		rest = follows
	}
	line += bytes.Count(there[:i], []byte("\n"))
	return fmt.Sprintf("The first difference, at line %d: old_str has %s, the file has %s.", line, nameNext(old[i:]), nameNext(rest)), true
}

func midRune(text []byte, i int) bool { return i < len(text) && !utf8.RuneStart(text[i]) }

// nameNext describes the character a text begins with.
func nameNext(text []byte) string {
	if len(text) == 0 {
		return "nothing more"
	}
	r, size := utf8.DecodeRune(text)
	switch {
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf("the byte 0x%02X, which is not UTF-8 and cannot be written in old_str", text[0])
	case r == '\t':
		return "a tab"
	case r == ' ':
		return "a space"
	case r == '\n':
		return "a line break"
	case r == '\r':
		return "a carriage return"
	case unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Mn, r):
		return fmt.Sprintf("%c (%U)", r, r)
	}
	return fmt.Sprintf("%U", r)
}
