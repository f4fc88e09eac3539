package gitdiff

import (
	"context"
	"slices"
)

// Scores of similarity, in git's scale.
const (
	maxScore      = 60000
	minScore      = maxScore / 2               // git's default of 50 %
	basenameScore = (minScore + maxScore) >> 1 // asked of files of one name
)

const (
	chunkLen  = 64     // longest chunk hashed
	chunkHash = 107927 // number of distinct chunk hashes; prime
)

// chunk counts the bytes of a file in chunks of one hash.
type chunk struct{ hash, bytes uint32 }

// fingerprint splits a file into lines, long ones into pieces, and counts the
// bytes by hash of the piece. What follows the last full piece is not counted,
// nor, in text, the CR of a CRLF.
//
// That tail is where versions of git differ: 2.44 began to count it, which can
// move a similarity by a percent for a file without a final newline.
func fingerprint(data []byte) []chunk {
	text := !looksBinary(data)
	counts := make(map[uint32]uint32)
	var a, b, n uint32
	for i, c := range data {
		if text && c == '\r' && i+1 < len(data) && data[i+1] == '\n' {
			continue
		}
		a, b = a<<7^b>>25, b<<7^a>>25
		a += uint32(c)
		if n++; n < chunkLen && c != '\n' {
			continue
		}
		counts[(a+b*0x61)%chunkHash] += n
		a, b, n = 0, 0, 0
	}
	chunks := make([]chunk, 0, len(counts))
	for hash, bytes := range counts {
		chunks = append(chunks, chunk{hash, bytes})
	}
	slices.SortFunc(chunks, func(x, y chunk) int { return int(x.hash) - int(y.hash) })
	return chunks
}

// copied counts the bytes of a that are found in b too.
func copied(a, b []chunk) (n uint64) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].hash < b[0].hash:
			a = a[1:]
		case a[0].hash > b[0].hash:
			b = b[1:]
		default:
			n += uint64(min(a[0].bytes, b[0].bytes))
			a, b = a[1:], b[1:]
		}
	}
	return n
}

// comparer estimates how alike files are. It keeps the fingerprints it made,
// and counts its work so that a caller can stop in time.
type comparer struct {
	prints map[*Blob][]chunk
	work   int
}

// score rates src and dst between 0 and maxScore. Only regular files can be
// alike, and only when neither is so much longer that it cannot reach minimum.
func (c *comparer) score(ctx context.Context, src, dst *Blob, minimum int) (int, error) {
	if !src.Mode.regular() || !dst.Mode.regular() {
		return 0, nil
	}
	long, short := max(src.Size, dst.Size), min(src.Size, dst.Size)
	if long*int64(maxScore-minimum) < (long-short)*maxScore || dst.Size == 0 {
		return 0, nil
	}
	a, err := c.print(ctx, src)
	if err != nil {
		return 0, err
	}
	b, err := c.print(ctx, dst)
	if err != nil {
		return 0, err
	}
	c.work += len(a) + len(b) + 1
	return int(copied(a, b) * maxScore / uint64(long)), nil
}

func (c *comparer) print(ctx context.Context, b *Blob) ([]chunk, error) {
	if p, ok := c.prints[b]; ok {
		return p, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, err := b.load()
	if err != nil {
		return nil, err
	}
	p := fingerprint(data)
	c.prints[b] = p
	return p, nil
}
