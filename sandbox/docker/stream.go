package docker

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/docker/docker/api/types"
)

// stream is the guest's stdin and stdout, taken out of the engine's multiplexed
// attach stream. What the guest says on stderr is kept for diagnosis, a little
// of it.
type stream struct {
	conn io.WriteCloser
	in   *bufio.Reader
	left uint32 // of the stdout frame being read
	over atomic.Bool

	mu    sync.Mutex
	first []byte // of what was said; a crash begins with its reason
	said  []byte // the end of it
}

func newStream(conn types.HijackedResponse) *stream {
	return &stream{conn: conn.Conn, in: conn.Reader}
}

// maxLastWords bounds what is kept of the guest's stderr.
const maxLastWords = 4 << 10

// Streams of a frame header, and its layout: stream, three zeros, length.
const (
	frameStdout = 1
	frameStderr = 2
	headerSize  = 8
)

// Read returns the guest's stdout. A frame's announced length is never
// allocated, only counted down.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.read(p)
	if err != nil {
		s.over.Store(true)
	}
	return n, err
}

// hasEnded says whether nothing more will come.
func (s *stream) hasEnded() bool { return s.over.Load() }

func (s *stream) read(p []byte) (int, error) {
	for s.left == 0 {
		if err := s.nextFrame(); err != nil {
			return 0, err
		}
	}
	n, err := s.in.Read(p[:min(len(p), int(s.left))])
	s.left -= uint32(n)
	if errors.Is(err, net.ErrClosed) {
		err = io.EOF
	}
	return n, err
}

func (s *stream) nextFrame() error {
	var header [headerSize]byte
	if _, err := io.ReadFull(s.in, header[:]); err != nil {
		if errors.Is(err, net.ErrClosed) {
			return io.EOF
		}
		return err
	}
	size := binary.BigEndian.Uint32(header[4:])
	switch header[0] {
	case frameStdout:
		s.left = size
		return nil
	case frameStderr:
		return s.keep(int64(size))
	}
	return fmt.Errorf("engine sent a frame for unknown stream %d", header[0])
}

// keep reads a stderr frame and remembers its end.
func (s *stream) keep(size int64) error {
	frame := io.LimitReader(s.in, size)
	buf := make([]byte, 1024)
	for {
		n, err := frame.Read(buf)
		s.mu.Lock()
		s.first = append(s.first, buf[:min(n, maxLastWords-len(s.first))]...)
		s.said = append(s.said, buf[:n]...)
		if over := len(s.said) - maxLastWords; over > 0 {
			s.said = s.said[over:]
		}
		s.mu.Unlock()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// lastWords is the last line of what the guest said on stderr, or the reason of
// its crash, printable only.
func (s *stream) lastWords() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(s.said)), "\n")
	line := lines[len(lines)-1]
	for first := range strings.Lines(string(s.first)) {
		if strings.HasPrefix(first, "panic: ") || strings.HasPrefix(first, "fatal error: ") || strings.HasPrefix(first, "runtime: ") {
			line = strings.TrimSpace(first)
			break
		}
	}
	return printable(line)
}

func printable(line string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, line)
}

func (s *stream) Write(p []byte) (int, error) { return s.conn.Write(p) }

// Close lets go of the stream; the guest sees the end of its input.
func (s *stream) Close() error { return s.conn.Close() }
