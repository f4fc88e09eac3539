package wire_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/sandbox/wire"
)

func TestFramesKeepBytes(t *testing.T) {
	var stream bytes.Buffer
	payloads := [][]byte{nil, []byte("\x00\xff\n"), bytes.Repeat([]byte("x"), wire.MaxFrame)}
	for _, p := range payloads {
		assert.NilError(t, wire.WriteFrame(&stream, wire.FrameOutput, p))
	}
	for _, p := range payloads {
		kind, data, err := wire.ReadFrame(&stream)
		assert.NilError(t, err)
		assert.Equal(t, kind, wire.FrameOutput)
		assert.Assert(t, bytes.Equal(data, p))
	}
	_, _, err := wire.ReadFrame(&stream)
	assert.Assert(t, errors.Is(err, io.EOF))
}

func TestFramesAreBounded(t *testing.T) {
	assert.ErrorContains(t, wire.WriteFrame(io.Discard, wire.FrameInput, make([]byte, wire.MaxFrame+1)), "over the limit")
	_, _, err := wire.ReadFrame(bytes.NewReader([]byte{'o', 0xff, 0xff, 0xff, 0xff}))
	assert.ErrorContains(t, err, "over the limit")
	_, _, err = wire.ReadFrame(bytes.NewReader([]byte{'o', 0, 0, 0, 9, 'x'}))
	assert.Assert(t, errors.Is(err, io.ErrUnexpectedEOF))
}
