package sandbox

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// oneLine makes text out of a sandbox fit for a message: one line of at most
// about that many bytes, valid UTF-8, without characters that steer a terminal
// or change the order in which text is read.
func oneLine(text string, most int) string {
	if len(text) > most {
		for most > 0 && !utf8.RuneStart(text[most]) {
			most--
		}
		text = text[:most] + "…"
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cc, r) || r == '\u2028' || r == '\u2029':
			return ' '
		case unicode.Is(unicode.Bidi_Control, r):
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// plain says whether text is fit for a message as it is.
func plain(text string, most int) bool { return oneLine(text, most) == text }

// plainError is an error whose text may hold what a guest sent.
type plainError struct {
	text string
	err  error
}

func (e *plainError) Error() string { return e.text }
func (e *plainError) Unwrap() error { return e.err }

// maxErrorText bounds the text of an error that may quote a guest, in bytes.
const maxErrorText = 400

// tame makes the text of an error fit to be shown.
func tame(err error) error {
	if err == nil {
		return nil
	}
	if text := err.Error(); !plain(text, maxErrorText) {
		return &plainError{oneLine(text, maxErrorText), err}
	}
	return err
}
