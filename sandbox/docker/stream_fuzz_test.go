package docker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime/metrics"
	"testing"
	"testing/iotest"

	"gotest.tools/v3/assert"
)

// demuxed is the plain way to take a stream apart: what is on stdout, what on
// stderr, and whether it ends in the middle of a header or with no frame at all.
func demuxed(raw []byte) (out, said []byte, broken bool) {
	for len(raw) >= headerSize {
		kind, size := raw[0], uint64(binary.BigEndian.Uint32(raw[4:]))
		raw = raw[headerSize:]
		content := raw[:min(size, uint64(len(raw)))]
		raw = raw[len(content):]
		switch kind {
		case frameStdout:
			out = append(out, content...)
		case frameStderr:
			said = append(said, content...)
		default:
			return out, said, true
		}
	}
	return out, said, len(raw) > 0
}

// FuzzStream takes any bytes for the engine's: the output is what a plain reader
// finds, however the bytes arrive, and a length costs nothing that did not come.
func FuzzStream(f *testing.F) {
	f.Fuzz(func(t *testing.T, raw []byte) {
		want, said, broken := demuxed(raw)
		before := allocated()
		s := demux(bytes.NewReader(raw))
		got, err := io.ReadAll(s)
		used := allocated() - before
		assert.Assert(t, bytes.Equal(got, want), "%q, not %q", got, want)
		assert.Equal(t, err != nil, broken, "%v", err)
		assert.Assert(t, len(s.said) <= maxLastWords && len(s.first) <= maxLastWords)
		assert.Assert(t, bytes.HasSuffix(said, s.said) && bytes.HasPrefix(said, s.first))
		assert.Assert(t, used < 1<<20+16*uint64(len(raw)), "%d bytes for %d", used, len(raw))

		again, err2 := io.ReadAll(demux(iotest.OneByteReader(bytes.NewReader(raw))))
		assert.Assert(t, bytes.Equal(got, again), "what is read depends on how it arrives")
		assert.Equal(t, errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err2, io.ErrUnexpectedEOF))
		for _, r := range s.lastWords() {
			assert.Assert(t, r >= ' ' && r != 0x7f)
		}
	})
}

// allocated is how many bytes this process has ever allocated.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
