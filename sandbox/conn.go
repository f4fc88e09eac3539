package sandbox

import (
	"net"
	"sync/atomic"
	"time"

	"github.com/hashicorp/yamux"
)

// conn is one stream to the guest. Closing a stream of yamux only ends what this
// side sends: a reader goes on for as long as the guest likes, and closing itself
// waits for a guest that takes nothing in. Here a closed one is closed at once.
type conn struct {
	net.Conn
	closed atomic.Bool
}

// dial opens a stream to the guest.
func dial(session *yamux.Session) (net.Conn, error) {
	stream, err := session.Open()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: stream}, nil
}

func (c *conn) Read(p []byte) (int, error) {
	if c.closed.Load() {
		return 0, net.ErrClosed
	}
	return c.Conn.Read(p)
}

func (c *conn) Close() error {
	if c.closed.Swap(true) {
		return nil
	}
	_ = c.SetDeadline(time.Unix(1, 0))
	go func() { _ = c.Conn.Close() }() // for 30 seconds, or to the session's end
	return nil
}
