package gitdiff

import (
	"bufio"
	"encoding/binary"
	"fmt"

	"drydock/runtime/workspace/gitdiff/zlib1"
)

// base85 is the alphabet of binary patches, which keeps clear of quotes,
// backslashes and everything that a mail program may touch.
const base85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

const bytesPerLine = 52

// writeBinary prints both directions of a change, as git needs both to be able
// to undo it.
func writeBinary(w *bufio.Writer, old, data []byte) {
	w.WriteString("GIT binary patch\n")
	writePayload(w, old, data)
	writePayload(w, data, old)
}

// writePayload prints what makes data: the content itself or a delta from old,
// whichever is shorter when compressed.
func writePayload(w *bufio.Writer, old, data []byte) {
	kind, size, payload := "literal", len(data), zlib1.Compress(data)
	if delta := makeDelta(old, data, len(payload)); delta != nil {
		if short := zlib1.Compress(delta); len(short) < len(payload) {
			kind, size, payload = "delta", len(delta), short
		}
	}
	_, _ = fmt.Fprintf(w, "%s %d\n", kind, size)
	for len(payload) > 0 {
		n := min(len(payload), bytesPerLine)
		writeBase85(w, payload[:n])
		payload = payload[n:]
	}
	w.WriteByte('\n')
}

// writeBase85 prints one line: its length as a letter, then five digits for
// every four bytes, the last group filled up with zeros.
func writeBase85(w *bufio.Writer, p []byte) {
	if len(p) <= 26 {
		w.WriteByte('A' + byte(len(p)) - 1)
	} else {
		w.WriteByte('a' + byte(len(p)) - 27)
	}
	for ; len(p) > 0; p = p[min(4, len(p)):] {
		var group [4]byte
		copy(group[:], p)
		v := binary.BigEndian.Uint32(group[:])
		var digits [5]byte
		for i := 4; i >= 0; i-- {
			digits[i] = base85[v%85]
			v /= 85
		}
		w.Write(digits[:])
	}
	w.WriteByte('\n')
}
