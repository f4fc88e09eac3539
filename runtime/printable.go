package runtime

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf16"
)

// printable writes what would steer a terminal in a JSON text as escapes, which
// mean the same to a reader of JSON. In such a text only strings can hold it.
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

// steers tells control characters and those that are not seen, but decide how
// others are.
func steers(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }
