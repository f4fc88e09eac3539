package docker

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"gotest.tools/v3/assert"
)

func frame(stream byte, content string) []byte {
	header := make([]byte, headerSize)
	header[0] = stream
	binary.BigEndian.PutUint32(header[4:], uint32(len(content)))
	return append(header, content...)
}

func demux(in io.Reader) *stream { return &stream{in: bufio.NewReader(in)} }

func TestStreamSortsFrames(t *testing.T) {
	raw := bytes.Join([][]byte{
		frame(frameStdout, "one "), frame(frameStderr, "first\nbad \x1b[31mwords\n"), frame(frameStdout, ""),
		frame(frameStdout, strings.Repeat("x", 100000)), frame(frameStdout, " end"),
	}, nil)
	want := "one " + strings.Repeat("x", 100000) + " end"
	for name, in := range map[string]io.Reader{
		"at once": bytes.NewReader(raw), "byte by byte": iotest.OneByteReader(bytes.NewReader(raw)), "halves": iotest.HalfReader(bytes.NewReader(raw)),
	} {
		t.Run(name, func(t *testing.T) {
			s := demux(in)
			got, err := io.ReadAll(s)
			assert.NilError(t, err)
			assert.Assert(t, string(got) == want, "%d bytes", len(got))
			assert.Equal(t, s.lastWords(), "bad  [31mwords")
		})
	}
}

func TestStreamRefusesWhatIsNoFrame(t *testing.T) {
	for name, row := range map[string]struct {
		raw  []byte
		want string
	}{
		"an unknown stream": {frame(7, "x"), "unknown stream 7"},
		"stdin's echo":      {frame(0, "x"), "unknown stream 0"},
		"half a header":     {frame(frameStdout, "x")[:5], "unexpected EOF"},
		"no frames at all":  {[]byte("HTTP/1.1 500 Oops\r\n"), "unknown stream 72"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := io.ReadAll(demux(bytes.NewReader(row.raw)))
			assert.ErrorContains(t, err, row.want)
		})
	}
}

// A hostile length costs nothing but counting.
func TestStreamDoesNotBelieveLengths(t *testing.T) {
	raw := append([]byte{frameStdout, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, "short"...)
	got, err := io.ReadAll(demux(bytes.NewReader(raw)))
	assert.NilError(t, err)
	assert.Equal(t, string(got), "short")
}

func TestStreamKeepsTheEndOfWhatTheGuestSaid(t *testing.T) {
	s := demux(bytes.NewReader(frame(frameStderr, strings.Repeat("noise\n", 100000)+"the reason")))
	_, err := io.ReadAll(s)
	assert.NilError(t, err)
	assert.Assert(t, len(s.said) <= maxLastWords)
	assert.Equal(t, s.lastWords(), "the reason")
}

func TestStreamFindsTheReasonOfACrash(t *testing.T) {
	said := "starting\nfatal error: out of threads\n\ngoroutine 1 [running]:\n" + strings.Repeat("\t/path/file.go:1 +0x1\n", 10000)
	s := demux(bytes.NewReader(frame(frameStderr, said)))
	_, err := io.ReadAll(s)
	assert.NilError(t, err)
	assert.Equal(t, s.lastWords(), "fatal error: out of threads")
}
