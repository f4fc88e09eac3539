package wire_test

import (
	"encoding/json"
	"io"
	"net"
	"testing"
	"time"

	"github.com/hashicorp/yamux"
	"gotest.tools/v3/assert"

	"drydock/sandbox/wire"
)

// What travels keeps every byte: names and outputs are no text.
func TestValuesKeepBytes(t *testing.T) {
	odd := []byte("\x00\xff\xfe\r\n\u2028'\"")
	result := wire.Result{Status: wire.StatusOOM, Head: odd, Tail: odd, Duration: 1500 * time.Millisecond, Total: 1 << 40}
	entry := wire.WalkEntry{Path: odd, Kind: "l", Target: odd}
	var gotResult wire.Result
	var gotEntry wire.WalkEntry
	trip(t, result, &gotResult)
	trip(t, entry, &gotEntry)
	assert.DeepEqual(t, gotResult, result)
	assert.DeepEqual(t, gotEntry, entry)
}

func trip(t *testing.T, from, into any) {
	t.Helper()
	raw, err := json.Marshal(from)
	assert.NilError(t, err)
	assert.NilError(t, json.Unmarshal(raw, into))
}

// sessions are the two ends of a stream.
func sessions(t *testing.T) (host, guest *yamux.Session) {
	t.Helper()
	left, right := net.Pipe()
	host, err := wire.HostSession(left)
	assert.NilError(t, err)
	t.Cleanup(func() { _ = host.Close() })
	guest, err = wire.GuestSession(right)
	assert.NilError(t, err)
	t.Cleanup(func() { _ = guest.Close() })
	return host, guest
}

func TestSessionsTalkBothWays(t *testing.T) {
	const size = 4 << 20 // several windows
	host, guest := sessions(t)
	near, err := host.Open()
	assert.NilError(t, err)
	far, err := guest.Accept()
	assert.NilError(t, err)
	for name, ends := range map[string][2]net.Conn{"to the guest": {near, far}, "to the host": {far, near}} {
		t.Run(name, func(t *testing.T) {
			sent := make(chan error, 1)
			go func() {
				_, err := ends[0].Write(make([]byte, size))
				sent <- err
			}()
			n, err := io.CopyN(io.Discard, ends[1], size)
			assert.NilError(t, err)
			assert.Equal(t, n, int64(size))
			assert.NilError(t, <-sent)
		})
	}
}

// Bytes that are no protocol end the session; they never hang or crash it.
func TestSessionsEndOnGarbage(t *testing.T) {
	left, right := net.Pipe()
	defer right.Close()
	host, err := wire.HostSession(left)
	assert.NilError(t, err)
	go func() { _, _ = io.Copy(io.Discard, right) }()
	_, err = right.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
	assert.NilError(t, err)
	select {
	case <-host.CloseChan():
	case <-time.After(10 * time.Second):
		t.Fatal("the session goes on")
	}
	_, err = host.Open()
	assert.Assert(t, err != nil)
}
