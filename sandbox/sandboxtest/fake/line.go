package fake

import (
	"net"
	"sync"
)

// line is the host's end of a container's stream.
type line struct {
	net.Conn
	once sync.Once
	gone chan struct{} // closed with the line

	mu     sync.Mutex
	change func([]byte) []byte // done once, to what the guest says next
}

func (l *line) disturb(change func([]byte) []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.change = change
}

// hold keeps what was said until the line is closed.
func (l *line) hold([]byte) []byte {
	<-l.gone
	return nil
}

// Read gives what the guest says, or what was made of it.
func (l *line) Read(p []byte) (int, error) {
	n, err := l.Conn.Read(p)
	l.mu.Lock()
	change := l.change
	l.change = nil
	l.mu.Unlock()
	if change == nil || n == 0 {
		return n, err
	}
	n = copy(p, change(p[:n]))
	if n == 0 {
		return 0, net.ErrClosed
	}
	return n, err
}

// Close lets go of the line.
func (l *line) Close() error {
	l.once.Do(func() { close(l.gone) })
	return l.Conn.Close()
}
