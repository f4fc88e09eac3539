package tools

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Render is a result as the model reads it. The wording is short and stable,
// because prompts depend on it: the output as it was, then what there is to
// know about it, each in square brackets on a line of its own. limit bounds the
// output's size in bytes; 0 means no further bound.
func Render(r Result, limit int) string {
	var b strings.Builder
	b.WriteString(body(r, limit))
	for _, note := range notes(r) {
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
			b.WriteByte('\n')
		}
		b.WriteString("[" + note + "]\n")
	}
	return b.String()
}

// ShownExactly says whether Render shows the output of a program byte by byte.
func ShownExactly(r Result, limit int) bool {
	p := r.Program
	return p == nil || p.Dropped == 0 && (limit <= 0 || len(p.Head) <= limit) && Clean(p.Head) == string(p.Head)
}

func body(r Result, limit int) string {
	p := r.Program
	switch {
	case r.Screen != nil:
		return CutMiddle(screenText(r.Screen), limit)
	case p == nil:
		return CutMiddle(Clean([]byte(r.Text)), limit)
	}
	if p.Dropped == 0 {
		return CutMiddle(Clean(p.Head), limit)
	}
	head, tail := Clean(wholeEnd(p.Head)), Clean(wholeStart(p.Tail))
	if limit > 0 {
		head, tail = firstBytes(head, limit/2), lastBytes(tail, limit/2)
	}
	left := p.Total - int64(len(head)) - int64(len(tail))
	return head + gap(left, p.Log) + tail
}

// wholeEnd leaves out a character whose end was dropped, wholeStart one whose
// start was.
func wholeEnd(b []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if last := b[len(b)-n:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				return b[:len(b)-n]
			}
			break
		}
	}
	return b
}

func wholeStart(b []byte) []byte {
	n := 0
	for n < utf8.UTFMax-1 && n < len(b) && !utf8.RuneStart(b[n]) {
		n++
	}
	return b[n:]
}

// gap stands where output was left out.
func gap(bytes int64, log string) string {
	if log == "" {
		return fmt.Sprintf("\n[… %d bytes left out …]\n", bytes)
	}
	return fmt.Sprintf("\n[… %d bytes left out; the output is in %s …]\n", bytes, log)
}

// CutMiddle bounds a text in bytes; 0 is no bound. It says what was left out.
func CutMiddle(text string, limit int) string {
	if limit <= 0 || len(text) <= limit {
		return text
	}
	head, tail := firstBytes(text, limit/2), lastBytes(text, limit/2)
	return head + gap(int64(len(text)-len(head)-len(tail)), "") + tail
}

// firstBytes and lastBytes cut between characters.
func firstBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func lastBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	from := len(s) - n
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return s[from:]
}
