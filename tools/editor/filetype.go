package editor

import (
	"bytes"
	"strings"
)

// imageType returns the MIME type of an image that models can see, or "".
func imageType(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(data, []byte("GIF87a")), bytes.HasPrefix(data, []byte("GIF89a")):
		return "image/gif"
	case len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}

// sniffed is how much of a file decides whether it is text.
const sniffed = 8 << 10

// binaryKind guesses what a file is that is not text, and returns "" for text
// of any encoding that has ASCII as its base.
func binaryKind(data []byte) string {
	head := data[:min(len(data), sniffed)]
	for _, known := range []struct{ magic, kind string }{
		{"\x7fELF", "ELF executable or library"},
		{"PK\x03\x04", "zip archive"},
		{"PK\x05\x06", "zip archive"},
		{"\x1f\x8b", "gzip data"},
		{"BZh", "bzip2 data"},
		{"\xfd7zXZ\x00", "xz data"},
		{"\x28\xb5\x2f\xfd", "zstd data"},
		{"7z\xbc\xaf\x27\x1c", "7z archive"},
		{"%PDF-", "PDF document"},
		{"SQLite format 3\x00", "SQLite database"},
		{"\x00asm", "WebAssembly module"},
		{"\xca\xfe\xba\xbe", "Java class file"},
		{"\x93NUMPY", "NumPy array"},
		{"PAR1", "Parquet file"},
	} {
		if bytes.HasPrefix(head, []byte(known.magic)) && (!isPrintable(known.magic) || hasBinaryBytes(head)) {
			return known.kind
		}
	}
	if len(head) > 262 && string(head[257:262]) == "ustar" {
		return "tar archive"
	}
	switch {
	case !hasBinaryBytes(head):
		return ""
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return "UTF-16 text; iconv -f UTF-16 -t UTF-8 makes it readable"
	}
	return "unknown type"
}

// isPrintable reports whether a magic consists of letters that a text could
// begin with too; then the rest of the file has to decide.
func isPrintable(magic string) bool {
	return strings.IndexFunc(magic, func(r rune) bool { return r < ' ' || r >= 0x7f }) < 0
}

func hasBinaryBytes(head []byte) bool {
	return bytes.IndexByte(head, 0) >= 0 || manyControls(head)
}

// manyControls reports whether more than a tenth of the bytes are controls
// that text does not use. Escape is not one of them: logs have colours.
func manyControls(head []byte) bool {
	controls := 0
	for _, b := range head {
		if b < 0x07 || (b > 0x0d && b < 0x1b) || (b > 0x1b && b < 0x20) {
			controls++
		}
	}
	return controls*10 > len(head)
}
