package wire_test

import (
	"encoding/json"
	"io"
	"net"
	"testing"
	"time"

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

func TestSessionsTalkBothWays(t *testing.T) {
	left, right := net.Pipe()
	host, err := wire.HostSession(left)
	assert.NilError(t, err)
	defer func() { _ = host.Close() }()
	guest, err := wire.GuestSession(right)
	assert.NilError(t, err)
	defer func() { _ = guest.Close() }()
	const size = 4 << 20 // several windows
	for name, ends := range map[string][2]interface {
		Open() (net.Conn, error)
		Accept() (net.Conn, error)
	}{"host opens": {host, guest}, "guest opens": {guest, host}} {
		t.Run(name, func(t *testing.T) {
			sent := make(chan error, 1)
			go func() {
				conn, err := ends[0].Open()
				if err == nil {
					_, err = conn.Write(make([]byte, size))
					_ = conn.Close()
				}
				sent <- err
			}()
			conn, err := ends[1].Accept()
			assert.NilError(t, err)
			n, err := io.Copy(io.Discard, conn)
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
