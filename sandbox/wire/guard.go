package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The layout of a frame header of yamux: version, kind, flags, stream, length.
const (
	frameHeader = 12
	frameData   = 0
	framePing   = 2
	flagOpen    = 1
)

// guard looks at the frames that a guest sends before yamux acts on them, and
// ends the stream at one that no guest of ours sends. Without it, a guest that
// asks for pings and does not read the answers would make yamux start a
// goroutine for each, as fast as the guest can write, and streams that the guest
// opens, which nobody accepts, would hold up to 64 MiB.
type guard struct {
	io.ReadWriteCloser
	head [frameHeader]byte
	have int    // bytes of head
	skip uint32 // of a data frame's content
	err  error
}

// Read gives what comes before a frame that is refused.
func (g *guard) Read(p []byte) (int, error) {
	if g.err != nil {
		return 0, g.err
	}
	n, err := g.ReadWriteCloser.Read(p)
	if good := g.pass(p[:n]); good < n {
		return good, g.err
	}
	return n, err
}

// pass looks through bytes and gives the number of those before the last byte
// of a header that is refused: all where none is.
func (g *guard) pass(p []byte) int {
	for at := 0; at < len(p); {
		if g.skip > 0 {
			n := min(int64(g.skip), int64(len(p)-at))
			g.skip -= uint32(n)
			at += int(n)
			continue
		}
		n := copy(g.head[g.have:], p[at:])
		g.have += n
		at += n
		if g.have < frameHeader {
			continue
		}
		g.have = 0
		if g.err = g.judge(); g.err != nil {
			return at - 1
		}
	}
	return len(p)
}

// judge looks at a whole header. What is not a frame at all is left to yamux.
func (g *guard) judge() error {
	kind, flags, length := g.head[1], binary.BigEndian.Uint16(g.head[2:]), binary.BigEndian.Uint32(g.head[8:])
	switch {
	case kind == framePing && flags&flagOpen != 0:
		return errors.New("the guest sent a ping")
	case flags&flagOpen != 0:
		return errors.New("the guest opened a stream")
	case kind == frameData && length > streamWindow:
		return fmt.Errorf("the guest sent a frame of %d bytes", length)
	case kind == frameData:
		g.skip = length
	}
	return nil
}
