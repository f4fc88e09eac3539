package wire

import (
	"io"
	"time"

	"github.com/hashicorp/yamux"
)

// muxConfig keeps both ends alike. Keep-alives are off: the stream is a pipe
// to the engine, whose end is seen as EOF, and a busy sandbox must not be
// taken for a dead one.
func muxConfig(log io.Writer) *yamux.Config {
	cfg := yamux.DefaultConfig()
	cfg.EnableKeepAlive = false
	cfg.ConnectionWriteTimeout = 30 * time.Second
	cfg.StreamOpenTimeout = 30 * time.Second
	cfg.MaxStreamWindowSize = 1 << 20
	cfg.LogOutput = log
	return cfg
}

// HostSession is the host's end of the stream.
func HostSession(conn io.ReadWriteCloser) (*yamux.Session, error) {
	return yamux.Client(conn, muxConfig(io.Discard))
}

// GuestSession is the guest's end of the stream.
func GuestSession(conn io.ReadWriteCloser) (*yamux.Session, error) {
	return yamux.Server(conn, muxConfig(io.Discard))
}
