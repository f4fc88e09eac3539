package main

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"drydock/tools"
)

// clean takes out what would steer a terminal, or make a person read something
// else than what is there. Everything that the model, the sandbox, a server or
// the engine said goes through it before it is printed.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if misleads(r) {
			return utf8.RuneError
		}
		return r
	}, tools.Clean([]byte(text)))
}

// misleads tells the characters that a model may well read, but that have no
// place on a terminal: marks that turn the direction of writing, separators that
// some terminals take for the end of a line, and tags, which nobody sees.
func misleads(r rune) bool {
	switch {
	case r == 0x061c, r == 0x200e, r == 0x200f, r == 0x2028, r == 0x2029:
		return true
	case r >= 0xe0000 && r <= 0xe007f:
		return true
	}
	return false
}

// singleLine shows text on one line, cleaned: a line break in it could make up
// a line of its own.
func singleLine(text string) string {
	return strings.Join(strings.Fields(clean(text)), " ")
}

// oneLineOf is singleLine, bounded.
func oneLineOf(text string) string {
	return ansi.Truncate(singleLine(text), 200, "…")
}
