package editor

import (
	"bytes"
)

// endingAt returns the line ending whose "\n" is at data[i].
func endingAt(data []byte, i int) string {
	if i > 0 && data[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// endingBefore returns the line ending in use around a place where a line
// begins: that of the line before it, else that of the next line which has
// one, else "\n".
func endingBefore(data []byte, at int) string {
	if i := bytes.LastIndexByte(data[:at], '\n'); i >= 0 {
		return endingAt(data, i)
	}
	return endingAfter(data, at)
}

// endingAfter returns the first line ending at or after a place, else the last
// one before it, else "\n".
func endingAfter(data []byte, at int) string {
	if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
		return endingAt(data, at+i)
	}
	if i := bytes.LastIndexByte(data[:at], '\n'); i >= 0 {
		return endingAt(data, i)
	}
	return "\n"
}

// respell gives new text the line endings of the place data[start:end] where
// it goes. Lines at both ends of it that are the same as before keep their own
// ending; the others take that of the place. A "\r\n" of the caller is kept.
func respell(data []byte, start, end int, text string) []byte {
	lines := bytes.Split([]byte(text), []byte("\n"))
	newlines := len(lines) - 1
	if newlines == 0 {
		return []byte(text)
	}
	near := endingAfter(data, start)
	was, endings := splitLines(data[start:end])
	head := commonHead(was, lines)
	tail := commonTail(was, lines, head)
	out := make([]byte, 0, len(text)+newlines)
	for i, line := range lines {
		out = append(out, line...)
		switch {
		case i == newlines:
		case bytes.HasSuffix(line, []byte("\r")), i == 0 && len(line) == 0 && start > 0 && data[start-1] == '\r':
			out = append(out, '\n')
		case i < head:
			out = append(out, endings[i]...)
		case i >= newlines-tail:
			out = append(out, endings[len(endings)-(newlines-i)]...)
		default:
			out = append(out, near...)
		}
	}
	return out
}

// splitLines returns lines without their endings, and the endings. There is
// one line more than there are endings.
func splitLines(text []byte) (lines [][]byte, endings []string) {
	lines = bytes.Split(text, []byte("\n"))
	for i, line := range lines[:len(lines)-1] {
		bare, crlf := bytes.CutSuffix(line, []byte("\r"))
		lines[i] = bare
		if crlf {
			endings = append(endings, "\r\n")
		} else {
			endings = append(endings, "\n")
		}
	}
	return lines, endings
}

// commonHead counts the newlines at the start of both texts after lines that
// are the same.
func commonHead(was, lines [][]byte) int {
	n := 0
	for n < min(len(was), len(lines))-1 && sameLine(was[n], lines[n]) {
		n++
	}
	return n
}

// commonTail counts the newlines at the end of both texts before lines that
// are the same, without those that belong to the head.
func commonTail(was, lines [][]byte, head int) int {
	n := 0
	for n < min(len(was), len(lines))-1-head && sameLine(was[len(was)-1-n], lines[len(lines)-1-n]) {
		n++
	}
	return n
}

func sameLine(was, line []byte) bool {
	return bytes.Equal(was, bytes.TrimSuffix(line, []byte("\r")))
}
