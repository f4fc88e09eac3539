// Package jsonline writes values as lines of JSON that can be shown on a
// terminal as they are.
package jsonline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf16"
)

// Marshal writes a value as one line, its line break included. What would steer
// a terminal is written as escapes, which mean the same to a reader of JSON.
func Marshal(v any) ([]byte, error) {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false) // commands are full of < and &, and are read by people
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write as JSON: %w", err)
	}
	text := bytes.TrimSuffix(line.Bytes(), []byte("\n"))
	return append(printable(text), '\n'), nil
}

// Plain says whether text is written as it is, without such escapes.
func Plain(text string) bool { return !bytes.ContainsFunc([]byte(text), steers) }

// printable escapes what steers in a JSON text. In such a text only strings can
// hold it.
func printable(text []byte) []byte {
	if !bytes.ContainsFunc(text, steers) {
		return text
	}
	var out bytes.Buffer
	for _, r := range string(text) {
		switch {
		case !steers(r):
			out.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			_, _ = fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			_, _ = fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.Bytes()
}

// steers tells control characters, separators that some terminals take for the
// end of a line, and what is not seen, but decides how other characters are.
func steers(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}
