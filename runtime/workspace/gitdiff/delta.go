package gitdiff

import "encoding/binary"

// A delta rebuilds one content from another: it copies ranges of the old and
// inserts new bytes. The encoding is that of git's packs, and the choices are
// git's as well.
const (
	maxInsert = 0x7f    // bytes one insert can hold
	maxCopy   = 0x10000 // bytes one copy can take
	minCopy   = 4       // a shorter match is inserted
	goodMatch = 4096    // a match this long ends the search for a longer one
)

// makeDelta gives the delta from old to data, or nil when it would be longer
// than limit or either content is empty.
func makeDelta(old, data []byte, limit int) []byte {
	if len(old) == 0 || len(data) == 0 {
		return nil
	}
	x := newDeltaIndex(old)
	var w deltaWriter
	w.out = binary.AppendUvarint(w.out, uint64(len(old)))
	w.out = binary.AppendUvarint(w.out, uint64(len(data)))
	pos := min(rabinWindow, len(data))
	for _, c := range data[:pos] {
		w.insert(c)
	}
	hash := rabinHash(data[:pos])
	for offset, length := 0, 0; pos < len(data); {
		if length < goodMatch {
			hash = rabinAdd(hash^rabinLeave[data[pos-rabinWindow]], data[pos])
			offset, length = x.longer(data, pos, hash, offset, length)
		}
		if length < minCopy {
			w.insert(data[pos])
			pos++
			length = 0
		} else {
			n := w.takeBack(old[:offset])
			pos, offset, length = pos-n, offset-n, length+n
			n = min(length, maxCopy)
			w.copy(offset, n)
			pos, offset, length = pos+n, offset+n, length-n
			hash = rabinHash(data[pos-rabinWindow : pos])
		}
		// Git gives up here, even if a later match could take bytes back.
		if len(w.out) > limit {
			return nil
		}
	}
	w.endInsert()
	if len(w.out) > limit {
		return nil
	}
	return w.out
}

// deltaWriter appends instructions to out. The last one may be an insert that
// still grows: it has pending bytes, and its count is not yet written.
type deltaWriter struct {
	out     []byte
	pending int
}

func (w *deltaWriter) insert(c byte) {
	if w.pending == 0 {
		w.out = append(w.out, 0)
	}
	w.out = append(w.out, c)
	if w.pending++; w.pending == maxInsert {
		w.endInsert()
	}
}

func (w *deltaWriter) endInsert() {
	if w.pending > 0 {
		w.out[len(w.out)-w.pending-1] = byte(w.pending)
		w.pending = 0
	}
}

// takeBack drops pending bytes that before ends with too, and ends the insert.
// It returns how many those were.
func (w *deltaWriter) takeBack(before []byte) int {
	n, end := 0, len(w.out)
	for n < w.pending && n < len(before) && before[len(before)-1-n] == w.out[end-1-n] {
		n++
	}
	if w.out = w.out[:end-n]; n > 0 && n == w.pending {
		w.out = w.out[:len(w.out)-1] // nothing left to count
	}
	w.pending -= n
	w.endInsert()
	return n
}

// copy appends one copy. Its first byte tells which bytes of offset and length
// follow; absent ones are zero, and a length of zero means maxCopy.
func (w *deltaWriter) copy(offset, length int) {
	op := len(w.out)
	w.out = append(w.out, 0x80)
	for i := range 4 {
		if c := byte(offset >> (8 * i)); c != 0 {
			w.out = append(w.out, c)
			w.out[op] |= 1 << i
		}
	}
	for i := range 2 {
		if c := byte(length >> (8 * i)); c != 0 {
			w.out = append(w.out, c)
			w.out[op] |= 0x10 << i
		}
	}
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for i+8 <= n && binary.LittleEndian.Uint64(a[i:]) == binary.LittleEndian.Uint64(b[i:]) {
		i += 8
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}
