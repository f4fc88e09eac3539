package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Bounds of what a program says on its standard output.
const (
	maxMessage  = 16 << 20 // bytes of one message
	maxNoise    = 4 << 20  // bytes that are no message
	maxRequests = 1000     // requests of the server to drydock
)

var errTooLong = fmt.Errorf("it sent a message of more than %d MiB", maxMessage>>20)

// filter passes on the lines that are messages. Servers print other things as
// well, floods of notifications among them, which must fill no queue.
type filter struct {
	in      *bufio.Reader
	noise   io.Writer
	changed func() // the server's list of tools is another one now

	rest     []byte // of the line being passed on
	dropped  int
	requests int

	mu  sync.Mutex
	err error // why the stream was given up, nil where it ended by itself
}

func newFilter(in io.Reader, noise io.Writer, changed func()) *filter {
	return &filter{in: bufio.NewReaderSize(in, 64<<10), noise: noise, changed: changed}
}

// Read gives whole lines only, piece by piece.
func (f *filter) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		line, err := f.line()
		if err != nil {
			return 0, err
		}
		if f.rest, err = f.keep(line); err != nil {
			return 0, f.fail(err)
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

func (f *filter) line() ([]byte, error) {
	var line []byte
	for {
		part, err := f.in.ReadSlice('\n')
		if len(line)+len(part) > maxMessage {
			return nil, f.fail(errTooLong)
		}
		line = append(line, part...)
		if err == nil || (errors.Is(err, io.EOF) && len(line) > 0) {
			return line, nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
}

// keep gives the line if it is for drydock.
func (f *filter) keep(line []byte) ([]byte, error) {
	var head struct {
		Method string          `json:"method"`
		ID     json.RawMessage `json:"id"`
	}
	trimmed := bytes.TrimSpace(line)
	if len(trimmed) == 0 {
		return nil, nil
	}
	if trimmed[0] != '{' || json.Unmarshal(trimmed, &head) != nil {
		if f.dropped += len(line); f.dropped > maxNoise {
			return nil, errors.New("what it prints is not the protocol")
		}
		_, _ = f.noise.Write(line)
		return nil, nil
	}
	switch {
	case head.Method == "":
	case head.ID != nil:
		if f.requests++; f.requests > maxRequests {
			return nil, fmt.Errorf("it sent more than %d requests of its own", maxRequests)
		}
	default:
		if head.Method == "notifications/tools/list_changed" {
			f.changed()
		}
		return nil, nil
	}
	return append(trimmed, '\n'), nil
}

func (f *filter) fail(err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
	return err
}

// failure is why the stream was given up, nil where it was not.
func (f *filter) failure() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}
