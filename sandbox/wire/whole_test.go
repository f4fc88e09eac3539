package wire_test

import (
	"io"
	"net"
	"sync"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/sandbox/wire"
)

// pieces notes what is written, write by write.
type pieces struct {
	io.ReadWriteCloser
	mu    sync.Mutex
	wrote []string
}

func (p *pieces) Write(b []byte) (int, error) {
	p.mu.Lock()
	p.wrote = append(p.wrote, string(b))
	p.mu.Unlock()
	return p.ReadWriteCloser.Write(b)
}

// What is sent arrives as it is, and a frame with content is one piece on its way.
func TestFramesTravelWhole(t *testing.T) {
	left, right := net.Pipe()
	seen := &pieces{ReadWriteCloser: left}
	host, err := wire.HostSession(seen)
	assert.NilError(t, err)
	defer func() { _ = host.Close() }()
	guest, err := wire.GuestSession(right)
	assert.NilError(t, err)
	defer func() { _ = guest.Close() }()
	stream, err := host.Open()
	assert.NilError(t, err)
	far, err := guest.Accept()
	assert.NilError(t, err)
	for _, text := range []string{"a", "exactly 12 b", "and more than a header has", string(make([]byte, 200<<10))} {
		_, err := stream.Write([]byte(text))
		assert.NilError(t, err)
		got := make([]byte, len(text))
		_, err = io.ReadFull(far, got)
		assert.NilError(t, err)
		assert.Equal(t, string(got), text)
	}
	seen.mu.Lock()
	defer seen.mu.Unlock()
	for _, p := range seen.wrote {
		if p[1] == 0 { // a data frame
			assert.Equal(t, len(p), len(muxFrame(0, 0, 0, 0, ""))+int(p[8])<<24+int(p[9])<<16+int(p[10])<<8+int(p[11]))
		}
	}
}
