package gitdiff

// bucketLimit is how many blocks a bucket of the index keeps. It bounds the
// work per position for contents that repeat a lot.
const bucketLimit = 64

// deltaIndex finds blocks of the old content by fingerprint.
type deltaIndex struct {
	old     []byte
	buckets [][]deltaBlock // in the order of the old content
}

// deltaBlock is a block of the old content. Its last byte is at end: that is
// the byte a match is first known for, when the block is found.
type deltaBlock struct {
	end, hash uint32
}

// newDeltaIndex indexes the blocks of old from its second byte on. Of equal
// blocks in a row it keeps the first.
func newDeltaIndex(old []byte) *deltaIndex {
	count := (len(old) - 1) / rabinWindow
	bits := 4
	for 1<<bits < count/4 {
		bits++
	}
	x := &deltaIndex{old: old, buckets: make([][]deltaBlock, 1<<bits)}
	blocks := distinctBlocks(old, count)
	sizes := make([]int, len(x.buckets))
	for _, b := range blocks {
		sizes[x.bucket(b.hash)]++
	}
	rest := make([]deltaBlock, len(blocks))
	for i, n := range sizes {
		x.buckets[i], rest = rest[:0:n], rest[n:]
	}
	for _, b := range blocks {
		i := x.bucket(b.hash)
		x.buckets[i] = append(x.buckets[i], b)
	}
	for i, b := range x.buckets {
		x.buckets[i] = thin(b)
	}
	return x
}

func (x *deltaIndex) bucket(hash uint32) int { return int(hash) & (len(x.buckets) - 1) }

func distinctBlocks(old []byte, count int) []deltaBlock {
	blocks := make([]deltaBlock, 0, count)
	last := ^uint32(0) // no fingerprint is that high
	for i := range count {
		end := (i + 1) * rabinWindow
		hash := rabinHash(old[end-rabinWindow+1 : end+1])
		if hash != last {
			blocks = append(blocks, deltaBlock{end: uint32(end), hash: hash})
		}
		last = hash
	}
	return blocks
}

// thin drops blocks evenly until bucketLimit are left.
func thin(bucket []deltaBlock) []deltaBlock {
	excess := len(bucket) - bucketLimit
	if excess <= 0 {
		return bucket
	}
	kept := bucket[:0]
	due := 0 // blocks to drop, in units of 1/bucketLimit
	for i := 0; i < len(bucket); i++ {
		kept = append(kept, bucket[i])
		for due += excess; due > 0; due -= bucketLimit {
			i++
		}
	}
	return kept
}

// longer looks for a match of data[pos:] that is longer than length, given the
// fingerprint of the window that ends with pos. It returns the longest, or what
// it was given.
func (x *deltaIndex) longer(data []byte, pos int, hash uint32, offset, length int) (int, int) {
	for _, b := range x.buckets[x.bucket(hash)] {
		if b.hash != hash {
			continue
		}
		end := int(b.end)
		if min(len(x.old)-end, len(data)-pos) <= length {
			break // and those after it are nearer to the end of the old content
		}
		if n := commonPrefix(x.old[end:], data[pos:]); n > length {
			offset, length = end, n
			if length >= goodMatch {
				break
			}
		}
	}
	return offset, length
}
