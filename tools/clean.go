package tools

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Clean makes program output fit for a model and for a terminal: control
// sequences are taken out, other control characters but tab and newline become
// visible, and invalid UTF-8 becomes U+FFFD. The run's directory
// keeps the raw bytes.
func Clean(raw []byte) string {
	text := strings.ToValidUTF8(string(raw), "\uFFFD")
	if !needsCleaning(text) {
		return text
	}
	text = stripSequences(text)
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return '\n' // progress bars: each state on a line
		case r < ' ':
			return 0x2400 + r // the picture of the control character
		case r == 0x7f:
			return 0x2421
		case r > 0x7f && r < 0xa0: // C1 controls, which some terminals obey
			return utf8.RuneError
		case IsBidiControl(r):
			return utf8.RuneError
		}
		return r
	}, text)
}

func needsCleaning(s string) bool {
	for _, r := range s {
		if (r < ' ' && r != '\n' && r != '\t') || (r >= 0x7f && r < 0xa0) || IsBidiControl(r) {
			return true
		}
	}
	return false
}

// IsBidiControl tells the characters that make text read in another order than
// it is written, which can hide what code does.
func IsBidiControl(r rune) bool {
	return (r >= 0x202a && r <= 0x202e) || (r >= 0x2066 && r <= 0x2069)
}

// stripSequences takes escape sequences out of each line. One that is not ended
// takes the rest of its line along, not all that follows.
func stripSequences(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = ansi.Strip(line)
	}
	return strings.Join(lines, "\n")
}
