package gitdiff

// Git finds equal blocks by their Rabin fingerprint: the bytes of a block, read
// as a polynomial over GF(2), modulo rabinPoly. Which blocks collide shows in
// the delta, so the polynomial is git's.
const (
	rabinPoly   = 0xab59b4d1
	rabinDegree = 31
	rabinWindow = 16 // bytes of a block
)

// rabinWrap is by the eight bits that a shift by a byte moves to rabinDegree
// and above: what to add to remove them. rabinLeave is by the oldest byte of a
// window: what that byte has become in the fingerprint.
var rabinWrap, rabinLeave = makeRabinTables()

func makeRabinTables() (wrap, leave [256]uint32) {
	for i := range wrap {
		high := uint64(i) << rabinDegree
		wrap[i] = uint32(high ^ rabinReduce(high))
	}
	for i := range leave {
		v := uint64(i)
		for range rabinWindow - 1 {
			v = rabinReduce(v << 8)
		}
		leave[i] = uint32(v)
	}
	return wrap, leave
}

// rabinReduce gives v modulo rabinPoly; v has less than eight bits too many.
func rabinReduce(v uint64) uint64 {
	for bit := rabinDegree + 8; bit >= rabinDegree; bit-- {
		if v>>bit&1 != 0 {
			v ^= rabinPoly << (bit - rabinDegree)
		}
	}
	return v
}

func rabinAdd(hash uint32, c byte) uint32 {
	return (hash<<8 | uint32(c)) ^ rabinWrap[hash>>(rabinDegree-8)]
}

func rabinHash(p []byte) uint32 {
	hash := uint32(0)
	for _, c := range p {
		hash = rabinAdd(hash, c)
	}
	return hash
}
