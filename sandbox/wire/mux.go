package wire

import (
	"io"
	"time"

	"github.com/hashicorp/yamux"
)

const (
	// streamWindow is how much a stream may send that the other side has not
	// read yet, in bytes. It bounds what a side holds of a stream.
	streamWindow = 1 << 20
	// closeLimit is how long a stream that one side has closed waits for the
	// other, with all that it holds.
	closeLimit = 10 * time.Second
	// Buffer is how much of a request or an answer is put into one frame, in
	// bytes: a source file mostly travels in one.
	Buffer = 64 << 10
)

// muxConfig keeps both ends alike. Keep-alives are off: the stream is a pipe
// to the engine, whose end is seen as EOF, and a busy sandbox must not be
// taken for a dead one.
func muxConfig(log io.Writer) *yamux.Config {
	cfg := yamux.DefaultConfig()
	cfg.EnableKeepAlive = false
	cfg.ConnectionWriteTimeout = 30 * time.Second
	cfg.StreamOpenTimeout = 30 * time.Second
	cfg.StreamCloseTimeout = closeLimit
	cfg.MaxStreamWindowSize = streamWindow
	cfg.LogOutput = log
	return cfg
}

// HostSession is the host's end of the stream. It ends when the guest opens a
// stream, pings, or sends a frame larger than the window.
func HostSession(conn io.ReadWriteCloser) (*yamux.Session, error) {
	return yamux.Client(&guard{ReadWriteCloser: &whole{ReadWriteCloser: conn}}, muxConfig(io.Discard))
}

// GuestSession is the guest's end of the stream.
func GuestSession(conn io.ReadWriteCloser) (*yamux.Session, error) {
	return yamux.Server(&whole{ReadWriteCloser: conn}, muxConfig(io.Discard))
}
