package docker

import (
	"io"
	"net"
	"sync"
)

// tap is the engine's side of an attached stream.
type tap struct {
	net.Conn
	road *road

	mu      sync.Mutex
	free    chan struct{}       // closed while bytes go through
	disturb func([]byte) []byte // done to the next bytes from the engine
	last    bool                // nothing comes after them
}

// Read passes on what the engine sends.
func (s *tap) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	s.wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.disturb == nil || n == 0 {
		return n, err
	}
	n = copy(p, s.disturb(p[:n]))
	s.disturb = nil
	if s.last {
		_ = s.Close()
		err = io.EOF
	}
	return n, err
}

// Write passes on what the host sends.
func (s *tap) Write(p []byte) (int, error) {
	s.wait()
	return s.Conn.Write(p)
}

func (s *tap) wait() {
	s.mu.Lock()
	free := s.free
	s.mu.Unlock()
	<-free
	s.road.mu.Lock()
	held := s.road.held
	s.road.mu.Unlock()
	if held != nil {
		<-held
	}
}

// hold lets no byte through until release.
func (s *tap) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = make(chan struct{})
}

func (s *tap) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.free:
	default:
		close(s.free)
	}
}

func (s *tap) cut() { _ = s.Close() }

// cutInFrame ends the stream within the next frame.
func (s *tap) cutInFrame() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disturb, s.last = func(b []byte) []byte { return b[:len(b)*2/3] }, true
}

// flip turns a bit of the next bytes, at some position from their start.
func (s *tap) flip(at int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disturb = func(b []byte) []byte {
		b[at%len(b)] ^= 0x10
		return b
	}
}
