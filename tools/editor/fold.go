package editor

import (
	"unicode"
	"unicode/utf8"
)

// fold reduces text to what is left when all small differences are ignored:
// white space, letter case, accents, characters that look like another,
// invisible ones, and the stand-ins that a view shows.
func fold(text []byte) []byte {
	folded := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		folded = appendFolded(folded, r)
		text = text[size:]
	}
	return folded
}

func appendFolded(dst []byte, r rune) []byte {
	switch {
	case r < utf8.RuneSelf && r > ' ' && r != 0x7f:
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
	case isBlank(r), isInvisible(r), unicode.Is(unicode.Mn, r):
		return dst
	default:
		r = unicode.ToLower(visible(lookAlike(unaccented(r))))
	}
	return utf8.AppendRune(dst, lookAlike(r))
}

// unfoldSpan turns a span of folded text into the span of the text itself.
func unfoldSpan(text []byte, from, to int) (start, end int) {
	var one []byte
	for offset, folded := 0, 0; offset < len(text) && folded < to; {
		r, size := utf8.DecodeRune(text[offset:])
		one = appendFolded(one[:0], r)
		if len(one) > 0 {
			if folded <= from {
				start = offset
			}
			end = offset + size
		}
		folded += len(one)
		offset += size
	}
	return start, end
}

// isBlank reports whether a character is white space that a view shows as it is.
func isBlank(r rune) bool {
	return r == ' ' || r == '\t' || r == '\r' || r == '\n' || r >= 0xa0 && unicode.IsSpace(r)
}

// isInvisible reports whether a character takes no room: joiners, direction
// marks, soft hyphens, byte order marks.
func isInvisible(r rune) bool { return r >= utf8.RuneSelf && unicode.Is(unicode.Cf, r) }
