package zlib1

import (
	"encoding/binary"
	"hash/adler32"
)

// header says: deflate, a window of 32 KiB, no dictionary, the fastest level.
var header = []byte{0x78, 0x01}

// Compress gives p as a zlib stream. Besides the result it needs less than a
// megabyte, however long p is; p must be shorter than 4 GiB.
func Compress(p []byte) []byte {
	e := &encoder{data: p, out: bitWriter{bytes: append([]byte(nil), header...)}}
	e.run()
	return binary.BigEndian.AppendUint32(e.out.bytes, adler32.Checksum(p))
}
