package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox/wire"
)

// fakeContainer is a container whose guest is a function.
type fakeContainer struct {
	stream  net.Conn
	removed int
}

func (c *fakeContainer) Stream() io.ReadWriteCloser { return c.stream }
func (c *fakeContainer) State(context.Context) State {
	return State{Stopped: true, Text: "exited (137), out of memory"}
}
func (c *fakeContainer) Remove(context.Context) error {
	c.removed++
	return c.stream.Close()
}

type fakeEngine struct {
	guest     func(net.Conn)
	container *fakeContainer
}

func (e *fakeEngine) Start(context.Context, Spec) (Container, error) {
	host, guest := net.Pipe()
	e.container = &fakeContainer{stream: host}
	go e.guest(guest)
	return e.container, nil
}

// serve answers every request alike.
func serve(status int, body any) func(net.Conn) {
	return func(conn net.Conn) {
		session, err := wire.GuestSession(conn)
		if err != nil {
			return
		}
		_ = http.Serve(session, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_ = json.NewEncoder(w).Encode(body)
		}))
	}
}

func silent(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

// A guest that is not what it should be is reported within the limit, with what
// the engine knows of the container, and the container is removed.
func TestGuestThatDoesNotGreet(t *testing.T) {
	for name, row := range map[string]struct {
		guest func(net.Conn)
		want  string
	}{
		"silent":         {silent, "the guest does not answer"},
		"ended":          {func(conn net.Conn) { _ = conn.Close() }, "wait for the guest"},
		"another tongue": {func(conn net.Conn) { _, _ = conn.Write([]byte("sh: not found\r\n\r\n\r\n")); silent(conn) }, "wait for the guest"},
		"another version": {
			serve(http.StatusOK, wire.Hello{Version: wire.Version + 1}),
			fmt.Sprintf("the guest speaks protocol %d and the host %d", wire.Version+1, wire.Version),
		},
		"an error": {serve(http.StatusInternalServerError, "no"), "500 Internal Server Error"},
		"nonsense": {serve(http.StatusOK, []int{1}), "read the guest's answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine := &fakeEngine{guest: row.guest}
			client := &Client{timing: timing{hello: 200 * time.Millisecond, beat: beat}}
			began := time.Now()
			_, err := client.Create(t.Context(), engine, "run", DefaultPolicy())
			var lost *LostError
			assert.Assert(t, errors.As(err, &lost), "%v", err)
			assert.ErrorContains(t, err, row.want)
			assert.Equal(t, lost.State, "exited (137), out of memory")
			assert.Equal(t, engine.container.removed, 1)
			assert.Equal(t, client.Open(), 0)
			assert.Assert(t, time.Since(began) < 10*time.Second)
		})
	}
}

// What a hostile guest answers is bounded and checked.
func TestGuestThatTurnsHostile(t *testing.T) {
	huge := func(conn net.Conn) {
		session, err := wire.GuestSession(conn)
		if err != nil {
			return
		}
		mux := http.NewServeMux()
		mux.HandleFunc(wire.PathHello, func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(wire.Hello{Version: wire.Version})
		})
		mux.HandleFunc(wire.PathWalk, func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(make([]byte, maxWalkLine+2))
		})
		mux.HandleFunc(wire.PathFile, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(wire.InfoHeader, `{"path": "L3g="}`)
			_, _ = w.Write(make([]byte, 4096))
		})
		mux.HandleFunc(wire.PathStats, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			_, _ = io.WriteString(w, `{"code": "", "message": "x"}`)
		})
		_ = http.Serve(session, mux)
	}
	box := func() *Sandbox {
		box, err := new(Client).Create(t.Context(), &fakeEngine{guest: huge}, "run", DefaultPolicy())
		assert.NilError(t, err)
		t.Cleanup(func() { _ = box.Close(context.Background()) })
		return box
	}
	var lost *LostError
	err := box().Walk(t.Context(), "/", func(wire.WalkEntry) error { return nil })
	assert.Assert(t, errors.As(err, &lost), "%v", err)
	_, err = box().Stats(t.Context())
	assert.Assert(t, errors.As(err, &lost), "%v", err)
	_, _, err = box().ReadFile(t.Context(), "/x", 10)
	assert.Assert(t, errors.As(err, &lost), "%v", err)
	assert.ErrorContains(t, err, "more than the 10 bytes that were asked for")
}

func TestPolicyThatCannotWork(t *testing.T) {
	assert.NilError(t, DefaultPolicy().Validate())
	for want, change := range map[string]func(*Policy){
		"no image given":                  func(p *Policy) { p.Image = "" },
		"at least 64 MiB":                 func(p *Policy) { p.MemoryBytes = 1 },
		"cpus is 0":                       func(p *Policy) { p.CPUs = 0 },
		"pids is 31":                      func(p *Policy) { p.Pids = 31 },
		"timeout is 0s":                   func(p *Policy) { p.Timeout = 0 },
		"max_timeout 1s is less":          func(p *Policy) { p.MaxTimeout = time.Second },
		`network is "some"`:               func(p *Policy) { p.Network = "some" },
		"for root, choose the level root": func(p *Policy) { p.UID = 0 },
		"not an absolute path":            func(p *Policy) { p.Workdir = "work" },
		`target "m"`:                      func(p *Policy) { p.Mounts = []Mount{{Source: "/s", Target: "m"}} },
	} {
		p := DefaultPolicy()
		change(&p)
		assert.ErrorContains(t, p.Validate(), want)
	}
}
