package attach_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/cmd/attach"
	"drydock/runtime"
	"drydock/sandbox/wire"
)

// box is a sandbox whose programs are functions.
type box struct {
	play func(io.ReadWriter)
	asks chan wire.AttachRequest
	err  error
}

func (b box) Attach(_ context.Context, req wire.AttachRequest) (io.ReadWriteCloser, error) {
	if b.err != nil {
		return nil, b.err
	}
	b.asks <- req
	ours, theirs := net.Pipe()
	go func() {
		defer theirs.Close()
		b.play(theirs)
	}()
	return ours, nil
}

func serve(t *testing.T, dir string, b box) *attach.Server {
	t.Helper()
	b.asks = make(chan wire.AttachRequest, 1)
	s, err := attach.Serve(dir, b)
	assert.NilError(t, err)
	t.Cleanup(func() { s.Close("test over") })
	return s
}

// parrot prints what it reads, and ends with code 3 at the end of its input.
func parrot(rw io.ReadWriter) {
	for {
		kind, data, err := wire.ReadFrame(rw)
		switch {
		case err != nil:
			return
		case kind == wire.FrameResize:
			_ = wire.WriteFrame(rw, wire.FrameError, data)
		case len(data) == 0:
			_ = wire.WriteFrame(rw, wire.FrameExit, []byte(`{"exit_code":3}`))
			return
		default:
			_ = wire.WriteFrame(rw, wire.FrameOutput, data)
		}
	}
}

func TestProgramsAreReachedThroughTheSocket(t *testing.T) {
	for name, dir := range map[string]string{
		"short": t.TempDir(),
		"long":  filepath.Join(t.TempDir(), strings.Repeat("directory-", 12), strings.Repeat("x", 100)),
	} {
		t.Run(name, func(t *testing.T) {
			assert.NilError(t, os.MkdirAll(dir, 0o755))
			serve(t, dir, box{play: parrot})
			st, err := os.Stat(filepath.Join(dir, runtime.SocketFile))
			assert.NilError(t, err)
			assert.Equal(t, st.Mode().Perm(), os.FileMode(0o600))
			c, err := attach.Dial(dir, wire.AttachRequest{TTY: true})
			assert.NilError(t, err)
			defer func() { _ = c.Close() }()
			payload := bytes.Repeat([]byte("\x00\xffx"), 100_000)
			go func() {
				_ = c.Resize(5, 6)
				_ = c.Input(payload)
				_ = c.Input(nil)
			}()
			var out, errOut bytes.Buffer
			code, err := c.Receive(&out, &errOut)
			assert.NilError(t, err)
			assert.Equal(t, code, 3)
			assert.Assert(t, bytes.Equal(out.Bytes(), payload))
			assert.Equal(t, errOut.String(), `{"rows":5,"cols":6}`)
		})
	}
}

func TestTheEndOfTheRunIsTold(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, dir, box{play: func(rw io.ReadWriter) { _, _ = io.Copy(io.Discard, rw) }})
	c, err := attach.Dial(dir, wire.AttachRequest{})
	assert.NilError(t, err)
	defer func() { _ = c.Close() }()
	go s.Close("the run is over")
	_, err = c.Receive(io.Discard, io.Discard)
	var ended *attach.EndedError
	assert.Assert(t, errors.As(err, &ended), "%v", err)
	assert.Equal(t, ended.Reason, "the run is over")
	s.Close("again")
	_, err = attach.Dial(dir, wire.AttachRequest{})
	assert.Assert(t, errors.Is(err, attach.ErrNotLive), "%v", err)
	_, err = os.Lstat(filepath.Join(dir, runtime.SocketFile))
	assert.Assert(t, errors.Is(err, os.ErrNotExist))
}

// A client that reads nothing does not keep the run from ending.
func TestADeafClientHoldsNothingUp(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, dir, box{play: func(rw io.ReadWriter) {
		for wire.WriteFrame(rw, wire.FrameOutput, make([]byte, wire.MaxFrame)) == nil {
		}
	}})
	c, err := attach.Dial(dir, wire.AttachRequest{})
	assert.NilError(t, err)
	defer func() { _ = c.Close() }()
	s.Close("over") // returns
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	_, err := attach.Dial(dir, wire.AttachRequest{})
	assert.Assert(t, errors.Is(err, attach.ErrNotLive), "%v", err)
	s := serve(t, dir, box{err: errors.New("the image has no zsh")})
	_, err = attach.Dial(dir, wire.AttachRequest{Argv: []string{"zsh"}})
	assert.Error(t, err, "the image has no zsh")
	conn, err := net.Dial("unix", filepath.Join(dir, runtime.SocketFile))
	assert.NilError(t, err)
	_, err = conn.Write([]byte("GET / HTTP/1.1\r\n\r\n"))
	assert.NilError(t, err)
	answer, err := io.ReadAll(conn)
	assert.NilError(t, err)
	assert.Assert(t, strings.Contains(string(answer), "read request"), "%s", answer)
	s.Close("over")
}

// What a dead run left behind is no live run.
func TestAStaleSocketIsNotLive(t *testing.T) {
	dir := t.TempDir()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, runtime.SocketFile)})
	assert.NilError(t, err)
	l.SetUnlinkOnClose(false)
	assert.NilError(t, l.Close())
	_, err = attach.Dial(dir, wire.AttachRequest{})
	assert.Assert(t, errors.Is(err, attach.ErrNotLive), "%v", err)
}
