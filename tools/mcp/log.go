package mcp

import (
	"io"
	"strings"
	"sync"
)

// Bounds of what a server prints on standard error, in bytes.
const (
	maxLog  = 1 << 20 // kept in its file
	maxLast = 2 << 10 // kept for messages
)

// journal keeps what a server prints beside the protocol.
type journal struct {
	mu   sync.Mutex
	file io.WriteCloser // nil to keep the end only
	left int
	last []byte
}

func newJournal(file io.WriteCloser) *journal { return &journal{file: file, left: maxLog} }

// Write never fails: a full disk must not end a server.
func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last = append(j.last, p[max(0, len(p)-maxLast):]...)
	j.last = append([]byte(nil), j.last[max(0, len(j.last)-maxLast):]...)
	if n := min(len(p), j.left); j.file != nil && n > 0 {
		j.left -= n
		_, _ = j.file.Write(p[:n])
	}
	return len(p), nil
}

// lastLine is the last thing that was said, for a message.
func (j *journal) lastLine() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	lines := strings.FieldsFunc(string(j.last), func(r rune) bool { return r == '\n' || r == '\r' })
	for i := len(lines) - 1; i >= 0; i-- {
		if line := strings.TrimSpace(lines[i]); line != "" {
			return line
		}
	}
	return ""
}

func (j *journal) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file != nil {
		_ = j.file.Close()
		j.file = nil
	}
}
