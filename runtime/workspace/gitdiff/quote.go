package gitdiff

import "strings"

// quoteChars are the bytes git writes as a backslash and a letter.
const (
	quotedBytes   = "\a\b\t\n\v\f\r\"\\"
	quotedLetters = `abtnvfr"\`
)

// mustQuote says whether c makes git quote the path that holds it, with
// core.quotePath at its default.
func mustQuote(c byte) bool {
	return c < ' ' || c >= 0x7f || c == '"' || c == '\\'
}

// quotePath writes a path the way patches carry it: bare when every byte is
// plain, else between double quotes with C escapes and octal bytes.
func quotePath(path string) string {
	plain := true
	for i := 0; i < len(path) && plain; i++ {
		plain = !mustQuote(path[i])
	}
	if plain {
		return path
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(path); i++ {
		writeQuoted(&b, path[i])
	}
	b.WriteByte('"')
	return b.String()
}

func writeQuoted(b *strings.Builder, c byte) {
	if !mustQuote(c) {
		b.WriteByte(c)
		return
	}
	b.WriteByte('\\')
	if i := strings.IndexByte(quotedBytes, c); i >= 0 {
		b.WriteByte(quotedLetters[i])
		return
	}
	b.WriteByte('0' + c>>6)
	b.WriteByte('0' + c>>3&7)
	b.WriteByte('0' + c&7)
}
