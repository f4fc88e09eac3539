package wire

import (
	"encoding/binary"
	"fmt"
	"io"
)

// FrameKind says what a frame carries.
type FrameKind byte

// The kinds of frames on an attached stream.
const (
	FrameInput  FrameKind = 'i' // to the program: bytes; none means the end of its input
	FrameResize FrameKind = 'r' // to the program: JSON of FrameSize
	FrameOutput FrameKind = 'o' // from the program: its terminal or standard output
	FrameError  FrameKind = 'e' // from the program: its standard error
	FrameExit   FrameKind = 'x' // from the program, the last one: JSON of FrameStatus
	FrameClosed FrameKind = 'c' // from the host, the last one: why it lets go, as text
)

// MaxFrame bounds what a frame carries, in bytes.
const MaxFrame = 64 << 10

// FrameSize is a terminal's size.
type FrameSize struct {
	Rows int `json:"rows"`
	Cols int `json:"cols"`
}

// FrameStatus says how an attached program ended.
type FrameStatus struct {
	ExitCode int    `json:"exit_code"` // 128 and the signal where one ended it
	Failure  string `json:"failure"`   // why it could not be started
}

const frameHead = 5 // the kind, and the length as 32 bits, big end first

// WriteFrame writes a frame in one call.
func WriteFrame(w io.Writer, kind FrameKind, data []byte) error {
	if len(data) > MaxFrame {
		return fmt.Errorf("frame of %d bytes is over the limit", len(data))
	}
	buf := make([]byte, frameHead, frameHead+len(data))
	buf[0] = byte(kind)
	binary.BigEndian.PutUint32(buf[1:], uint32(len(data)))
	_, err := w.Write(append(buf, data...))
	return err
}

// ReadFrame reads a frame. A stream that ends between frames is io.EOF.
func ReadFrame(r io.Reader) (FrameKind, []byte, error) {
	var head [frameHead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	size := binary.BigEndian.Uint32(head[1:])
	if size > MaxFrame {
		return 0, nil, fmt.Errorf("frame of %d bytes is over the limit", size)
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(r, data); err != nil {
		return 0, nil, fmt.Errorf("read frame: %w", io.ErrUnexpectedEOF)
	}
	return FrameKind(head[0]), data, nil
}
