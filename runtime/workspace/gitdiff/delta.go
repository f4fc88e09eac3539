package gitdiff

import "encoding/binary"

// A delta rebuilds one content from another: it copies ranges of the old and
// inserts new bytes. This is git's pack encoding of it.
const (
	deltaBlock     = 16      // bytes of the old content per index entry
	deltaTries     = 16      // candidates tried per position
	deltaMaxInsert = 0x7f    // bytes one insert can hold
	deltaMaxCopy   = 0x10000 // bytes one copy can take
	rollBase       = 0x9e3779b1
)

// deltaIndex finds blocks of the old content by hash.
type deltaIndex struct {
	old  []byte
	head []int32 // by hash: the first block of a chain, plus one
	next []int32 // by block: the next with the same hash, plus one
}

func newDeltaIndex(old []byte) *deltaIndex {
	blocks := len(old) / deltaBlock
	size := 16
	for size < blocks {
		size *= 2
	}
	x := &deltaIndex{old: old, head: make([]int32, size), next: make([]int32, blocks)}
	// Backwards, so that chains begin with the lowest block.
	for i := blocks - 1; i >= 0; i-- {
		slot := x.slot(rollHash(old[i*deltaBlock:]))
		x.next[i] = x.head[slot]
		x.head[slot] = int32(i + 1)
	}
	return x
}

func (x *deltaIndex) slot(hash uint32) uint32 { return (hash ^ hash>>15) & uint32(len(x.head)-1) }

// rollHash hashes the first block of p.
func rollHash(p []byte) uint32 {
	h := uint32(0)
	for _, c := range p[:deltaBlock] {
		h = h*rollBase + uint32(c)
	}
	return h
}

// rollPower is rollBase to the power of deltaBlock: what the byte that leaves
// the window has been multiplied by.
func rollPower() uint32 {
	p := uint32(1)
	for range deltaBlock {
		p *= rollBase
	}
	return p
}

// longest finds the longest match of data[pos:] that begins at a block with the
// given hash, and its offset in the old content.
func (x *deltaIndex) longest(data []byte, pos int, hash uint32) (offset, length int) {
	block := x.head[x.slot(hash)]
	for tries := 0; block != 0 && tries < deltaTries; tries++ {
		at := int(block-1) * deltaBlock
		if n := commonPrefix(x.old[at:], data[pos:]); n >= deltaBlock && n > length {
			offset, length = at, n
		}
		block = x.next[block-1]
	}
	return offset, length
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

// makeDelta gives the delta from old to data, or nil when there is nothing to
// gain: it would be longer than limit, or the old content is too short.
func makeDelta(old, data []byte, limit int) []byte {
	if len(old) < deltaBlock || len(data) < deltaBlock {
		return nil
	}
	x, power := newDeltaIndex(old), rollPower()
	out := binary.AppendUvarint(nil, uint64(len(old)))
	out = binary.AppendUvarint(out, uint64(len(data)))
	pending := 0 // where the bytes not yet written begin
	hash := rollHash(data)
	for pos := 0; pos+deltaBlock <= len(data); {
		if len(out)+pos-pending > limit {
			return nil
		}
		offset, length := x.longest(data, pos, hash)
		if length == 0 {
			if pos+deltaBlock < len(data) {
				hash = hash*rollBase + uint32(data[pos+deltaBlock]) - uint32(data[pos])*power
			}
			pos++
			continue
		}
		for pos > pending && offset > 0 && old[offset-1] == data[pos-1] {
			pos, offset, length = pos-1, offset-1, length+1
		}
		out = appendInsert(out, data[pending:pos])
		out = appendCopy(out, offset, length)
		pos += length
		pending = pos
		if pos+deltaBlock <= len(data) {
			hash = rollHash(data[pos:])
		}
	}
	if out = appendInsert(out, data[pending:]); len(out) > limit {
		return nil
	}
	return out
}

func appendInsert(out, p []byte) []byte {
	for len(p) > 0 {
		n := min(len(p), deltaMaxInsert)
		out = append(out, byte(n))
		out = append(out, p[:n]...)
		p = p[n:]
	}
	return out
}

// appendCopy writes copies of at most deltaMaxCopy bytes. The first byte tells
// which bytes of offset and length follow; absent ones are zero, and a length
// of zero means deltaMaxCopy.
func appendCopy(out []byte, offset, length int) []byte {
	for length > 0 {
		n := min(length, deltaMaxCopy)
		op := len(out)
		out = append(out, 0x80)
		for i := range 4 {
			if c := byte(offset >> (8 * i)); c != 0 {
				out = append(out, c)
				out[op] |= 1 << i
			}
		}
		for i := range 2 {
			if c := byte(n >> (8 * i)); c != 0 {
				out = append(out, c)
				out[op] |= 0x10 << i
			}
		}
		offset += n
		length -= n
	}
	return out
}
