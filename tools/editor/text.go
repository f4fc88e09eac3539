package editor

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"

	"drydock/tools"
)

// byteOrderMark may begin a UTF-8 file. It is not part of the first line.
const byteOrderMark = "\uFEFF"

// bodyStart is where the first line begins.
func bodyStart(data []byte) int {
	if bytes.HasPrefix(data, []byte(byteOrderMark)) {
		return len(byteOrderMark)
	}
	return 0
}

// countLines counts a last line without a newline, and no line after a last
// newline.
func countLines(data []byte) int {
	n := bytes.Count(data, []byte("\n"))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}

// lineStart returns where a line begins, counted from 1; the end of the data
// when there are fewer lines.
func lineStart(data []byte, line int) int {
	at := 0
	for ; line > 1; line-- {
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			return len(data)
		}
		at += i + 1
	}
	return at
}

// lineAt returns the number of the line that holds an offset.
func lineAt(data []byte, offset int) int {
	return bytes.Count(data[:offset], []byte("\n")) + 1
}

// appendVisible appends text as a model may see it: valid UTF-8 without
// control characters. Tabs stay; a C0 control shows as its Unicode picture
// (ESC as U+241B), other controls and invalid bytes as U+FFFD.
func appendVisible(dst, text []byte) []byte {
	for len(text) > 0 {
		plain := 0
		for plain < len(text) && (text[plain] >= ' ' && text[plain] < 0x7f || text[plain] == '\t') {
			plain++
		}
		dst = append(dst, text[:plain]...)
		if text = text[plain:]; len(text) == 0 {
			break
		}
		r, size := utf8.DecodeRune(text)
		dst = utf8.AppendRune(dst, visible(r))
		text = text[size:]
	}
	return dst
}

func visible(r rune) rune {
	switch {
	case r == '\t':
		return r
	case r < 0x20:
		return 0x2400 + r
	case r == 0x7f:
		return '\u2421'
	case r >= 0x80 && r < 0xa0, tools.IsBidiControl(r):
		return utf8.RuneError
	}
	return r
}

// clip shortens text to at most limit bytes, at the end of a character.
func clip(text []byte, limit int) []byte {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// clipMark ends a line of which not all is shown.
const clipMark = "…"

// appendVisibleLine is appendVisible for a line that is shortened to about
// limit bytes, and reports whether it was.
func appendVisibleLine(dst, line []byte, limit int) ([]byte, bool) {
	start := len(dst)
	dst = appendVisible(dst, line[:min(len(line), limit+utf8.UTFMax)])
	if len(dst)-start <= limit {
		return dst, false
	}
	return append(dst[:start+len(clip(dst[start:], limit))], clipMark...), true
}

// showPath makes a path fit for a sentence.
func showPath(path string) string {
	const limit = 300
	shown := bytes.ReplaceAll(appendVisible(nil, []byte(path)), []byte("\t"), []byte("\u2409"))
	if len(shown) <= limit {
		return string(shown)
	}
	tail := shown[len(shown)-limit/2:]
	for !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	return string(clip(shown, limit/2)) + clipMark + string(tail)
}

// quoteShort quotes a piece of the caller's text for a sentence.
func quoteShort(text string) string {
	const limit = 80
	if len(text) > limit {
		return strconv.Quote(string(clip([]byte(text), limit))) + clipMark
	}
	return strconv.Quote(text)
}

// plural is a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// showSize is a file size for a reader.
func showSize(n int64) string {
	switch {
	case n < 1<<10:
		return plural(int(n), "byte")
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
