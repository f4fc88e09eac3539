package zlib1

import "encoding/binary"

// bitWriter packs bits into bytes, the lowest first.
type bitWriter struct {
	bytes   []byte
	pending uint64
	count   uint // bits in pending, fewer than 32 between calls
}

// put writes the low n bits of v, which has no others; n is at most 32.
func (w *bitWriter) put(v uint32, n uint8) {
	w.pending |= uint64(v) << w.count
	w.count += uint(n)
	if w.count >= 32 {
		w.bytes = binary.LittleEndian.AppendUint32(w.bytes, uint32(w.pending))
		w.pending >>= 32
		w.count -= 32
	}
}

func (w *bitWriter) code(c code) { w.put(uint32(c.value), c.length) }

// align fills up the last byte with zero bits.
func (w *bitWriter) align() {
	for ; w.count > 0; w.count -= min(w.count, 8) {
		w.bytes = append(w.bytes, byte(w.pending))
		w.pending >>= 8
	}
}
