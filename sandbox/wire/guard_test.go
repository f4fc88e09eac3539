package wire_test

import (
	"encoding/binary"
	"io"
	"net"
	"runtime"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox/wire"
)

// Kinds and flags of frames, as yamux has them.
const (
	data, update, ping = 0, 1, 2
	syn, ack           = 1, 2
)

// muxFrame is a frame header and what follows it.
func muxFrame(kind byte, flags uint16, stream, length uint32, content string) []byte {
	raw := []byte{0, kind}
	raw = binary.BigEndian.AppendUint16(raw, flags)
	raw = binary.BigEndian.AppendUint32(raw, stream)
	raw = binary.BigEndian.AppendUint32(raw, length)
	return append(raw, content...)
}

// What a guest of ours never sends ends the session before it costs anything.
func TestSessionsEndOnWhatNoGuestSends(t *testing.T) {
	for name, frame := range map[string][]byte{
		"a stream":            muxFrame(update, syn, 2, 0, ""),
		"a stream with data":  muxFrame(data, syn, 2, 4, "spam"),
		"a stream of ours":    muxFrame(update, syn|ack, 1, 0, ""),
		"a ping":              muxFrame(ping, syn, 0, 7, ""),
		"a frame without end": muxFrame(data, 0, 1, 1<<32-1, "x"),
	} {
		t.Run(name, func(t *testing.T) {
			left, right := net.Pipe()
			defer right.Close()
			host, err := wire.HostSession(left)
			assert.NilError(t, err)
			go func() { _, _ = io.Copy(io.Discard, right) }()
			before := append(muxFrame(data, 0, 5, 3, "abc"), muxFrame(ping, ack, 0, 1, "")...)
			_, err = right.Write(append(before, frame...))
			assert.NilError(t, err)
			select {
			case <-host.CloseChan():
			case <-time.After(10 * time.Second):
				t.Fatal("the session goes on")
			}
			assert.Equal(t, host.NumStreams(), 0)
		})
	}
}

// The host may ping; only the guest may not.
func TestHostPings(t *testing.T) {
	host, _ := sessions(t)
	_, err := host.Ping()
	assert.NilError(t, err)
}

// Any bytes of a guest leave the host with no stream, no goroutine and hardly
// any memory more than it had.
func FuzzGuestFrames(f *testing.F) {
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := runtime.NumGoroutine()
		left, right := net.Pipe()
		host, err := wire.HostSession(left)
		assert.NilError(t, err)
		go func() { _, _ = io.Copy(io.Discard, right) }()
		stream, err := host.Open()
		assert.NilError(t, err)
		_, _ = right.Write(raw)
		_ = right.Close()
		_ = stream.SetDeadline(time.Now().Add(10 * time.Second))
		got, _ := io.ReadAll(stream)
		assert.Assert(t, len(got) <= len(raw))
		assert.NilError(t, host.Close())
		assert.Assert(t, host.NumStreams() <= 1)
		for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; {
			assert.Assert(t, time.Now().Before(deadline), "%d goroutines are left of %d", runtime.NumGoroutine()-before, before)
			time.Sleep(time.Millisecond)
		}
	})
}
