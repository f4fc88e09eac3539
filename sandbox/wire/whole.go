package wire

import (
	"encoding/binary"
	"io"
)

// whole sends a frame that has content in one piece. yamux writes its header
// and its content one after the other, and each piece wakes everyone on the way:
// the engine, the keeper of the container's streams, and the other side. yamux
// writes from one goroutine only.
type whole struct {
	io.ReadWriteCloser
	buf []byte // a header whose content is still to come, and then that
}

// Write takes a header or a frame's content.
func (w *whole) Write(p []byte) (int, error) {
	if len(w.buf) == 0 && announcesContent(p) {
		w.buf = append(w.buf, p...)
		return len(p), nil
	}
	if len(w.buf) == 0 {
		return w.ReadWriteCloser.Write(p)
	}
	w.buf = append(w.buf, p...)
	_, err := w.ReadWriteCloser.Write(w.buf)
	if w.buf = w.buf[:0]; cap(w.buf) > maxKeptFrame {
		w.buf = nil
	}
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// maxKeptFrame bounds the memory kept for the next frame, in bytes.
const maxKeptFrame = 64 << 10

// announcesContent says whether a header is that of a frame with content.
func announcesContent(head []byte) bool {
	return len(head) == frameHeader && head[1] == frameData && binary.BigEndian.Uint32(head[8:]) > 0
}
