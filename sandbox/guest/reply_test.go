package guest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
)

// FuzzShellReply writes any bytes to the control pipe, before and after a real
// reply. Only what has the call's nonce is one.
func FuzzShellReply(f *testing.F) {
	f.Add([]byte("x 0 himBH\x00"), []byte("\x00"))
	f.Add([]byte("NONCE 0\x00NONCE\x00 7"), []byte("NONCE 1 x\x00"))
	f.Add(bytes.Repeat([]byte("a"), 5000), []byte(""))
	f.Add([]byte("NONCE 99999999999999999999 h\x00NONCE -1 \x00"), []byte(nil))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		if len(before)+len(after) > 30<<10 {
			return // more than the pipe takes without a reader
		}
		control, err := openPipe(filepath.Join(t.TempDir(), "c"), 0o600)
		assert.NilError(t, err)
		defer control.Close()
		const nonce = "R2D2C3PO"
		real := fmt.Sprintf("\x00%s 42 himBH\x00", nonce)
		_, err = control.Write(append(append(bytes.Clone(before), real...), after...))
		assert.NilError(t, err)
		s := &shell{control: control}
		select {
		case r, ok := <-s.await(nonce):
			assert.Assert(t, ok)
			if !bytes.Contains(before, []byte(nonce)) {
				assert.Equal(t, r, reply{code: 42, flags: "himBH"})
			}
		case <-time.After(10 * time.Second):
			t.Fatal("the reply was not found")
		}
	})
}

// FuzzParseReply takes any message apart.
func FuzzParseReply(f *testing.F) {
	f.Add("N 5 ehB", "N")
	f.Add("N 0 !", "N")
	f.Add("N", "N")
	f.Add("N x y", "N")
	f.Add(" N  7", "")
	f.Fuzz(func(t *testing.T, msg, nonce string) {
		r, ok := parseReply(msg, nonce)
		if !ok {
			assert.Equal(t, r, reply{})
			return
		}
		assert.Assert(t, nonce != "" && strings.HasPrefix(strings.TrimSpace(msg), nonce), "%q was taken for a reply to %q", msg, nonce)
	})
}

// FuzzPythonReply reads any bytes as a frame of the interpreter.
func FuzzPythonReply(f *testing.F) {
	whole := func(v any) []byte {
		var b bytes.Buffer
		_ = writeFrame(&b, v)
		return b.Bytes()
	}
	f.Add(whole(pythonReply{Mark: "7", Code: 3, Images: []string{"aGk="}}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, '{'})
	f.Add([]byte{0, 0, 0, 2, '{'})
	f.Add([]byte{0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) >= 4 && binary.BigEndian.Uint32(raw) > 1<<20 && binary.BigEndian.Uint32(raw) <= maxPythonReply {
			return // allocated before it is read; only slow
		}
		var answer pythonReply
		if err := readFrame(bytes.NewReader(raw), &answer); err != nil {
			return
		}
		n := binary.BigEndian.Uint32(raw)
		assert.Assert(t, json.Valid(raw[4:4+n]))
		for _, img := range decodeImages(answer) {
			assert.Equal(t, img.MIME, "image/png")
		}
	})
}

// Output after a call goes to the file that its answer names, and is told of
// once, in the answer after it.
func TestLateOutputIsInItsFile(t *testing.T) {
	logs := &logDir{dir: t.TempDir()}
	o := &output{maxHead: 4, maxTail: 4, limit: 1 << 20, logs: logs, left: 1 << 20}
	o.add([]byte("now"))
	var l late
	file := l.follow(o)
	assert.Equal(t, len(l.news()), 0)
	o.add([]byte("LATE"))
	news := l.news()
	assert.Equal(t, len(news), 1)
	assert.Equal(t, news[0].File, file)
	assert.Equal(t, news[0].Bytes, int64(4))
	assert.Equal(t, len(l.news()), 0)
	o.add([]byte("!"))
	o.close()
	assert.Equal(t, l.news()[0].Bytes, int64(1))
	assert.Equal(t, len(l.open), 0)
	raw, err := os.ReadFile(file)
	assert.NilError(t, err)
	assert.Equal(t, string(raw), "nowLATE!")
}

// A job that prints nothing more leaves no file.
func TestSilentJobLeavesNoFile(t *testing.T) {
	o := &output{maxHead: 4, maxTail: 4, limit: 1 << 20, logs: &logDir{dir: t.TempDir()}, left: 1 << 20}
	o.add([]byte("now"))
	var l late
	file := l.follow(o)
	o.close()
	assert.Equal(t, len(l.news()), 0)
	_, err := os.Stat(file)
	assert.Assert(t, os.IsNotExist(err))
}
