package docker

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/docker/docker/client"
	"gotest.tools/v3/assert"
)

// road is a way to the real engine on which anything can happen to what is on
// its way.
type road struct {
	t      *testing.T
	socket string
	proxy  *httputil.ReverseProxy

	mu      sync.Mutex
	server  *http.Server
	faults  map[string]fault // by route
	held    chan struct{}    // closed by heal, nil while everything goes through
	streams []*tap           // of attached containers
}

// fault is what happens to a request instead of being forwarded.
type fault func(w http.ResponseWriter, r *http.Request, forward http.Handler)

// newRoad builds a road and an engine at its end.
func newRoad(t *testing.T) (*road, *Engine) {
	t.Helper()
	dir, err := os.MkdirTemp("", "road") //nolint:usetesting // a test's own has too long a name for a socket
	assert.NilError(t, err)
	r := &road{t: t, socket: filepath.Join(dir, "s"), faults: map[string]fault{}}
	dial := realEngine(t)
	r.proxy = &httputil.ReverseProxy{
		Rewrite:       func(p *httputil.ProxyRequest) { p.SetURL(&url.URL{Scheme: "http", Host: "engine"}) },
		FlushInterval: -1,
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			conn, err := dial(ctx)
			if err != nil || ctx.Value(attaching{}) == nil {
				return conn, err
			}
			return r.tap(conn), nil
		}},
	}
	r.open()
	cli, err := client.NewClientWithOpts(client.WithHost("unix://"+r.socket), client.WithAPIVersionNegotiation())
	assert.NilError(t, err)
	e := &Engine{cli: cli}
	assert.NilError(t, e.handshake(t.Context()))
	t.Cleanup(func() {
		_ = e.Close()
		r.heal()
		r.stop()
		assert.NilError(t, os.RemoveAll(dir))
	})
	return r, e
}

// realEngine gives the way to the engine that the tests run on.
func realEngine(t *testing.T) func(context.Context) (net.Conn, error) {
	t.Helper()
	where, err := findEndpoint()
	assert.NilError(t, err)
	opts, err := where.options()
	assert.NilError(t, err)
	cli, err := client.NewClientWithOpts(opts...)
	assert.NilError(t, err)
	t.Cleanup(func() { _ = cli.Close() })
	return cli.Dialer()
}

// attaching marks the context of a request that attaches to a container.
type attaching struct{}

var routes = []struct {
	name, method string
	path         *regexp.Regexp
}{
	{"create", "POST", regexp.MustCompile(`/containers/create$`)},
	{"attach", "POST", regexp.MustCompile(`/containers/[^/]+/attach$`)},
	{"wait", "POST", regexp.MustCompile(`/containers/[^/]+/wait$`)},
	{"start", "POST", regexp.MustCompile(`/containers/[^/]+/start$`)},
	{"inspect", "GET", regexp.MustCompile(`/containers/[^/]+/json$`)},
	{"remove", "DELETE", regexp.MustCompile(`/containers/[^/]+$`)},
}

func routeOf(r *http.Request) string {
	for _, route := range routes {
		if r.Method == route.method && route.path.MatchString(r.URL.Path) {
			return route.name
		}
	}
	return ""
}

// ServeHTTP forwards a request, or does to it what was ordered.
func (r *road) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if !r.pass(req.Context()) {
		return
	}
	route := routeOf(req)
	if route == "attach" {
		req = req.WithContext(context.WithValue(req.Context(), attaching{}, true))
	}
	r.mu.Lock()
	f := r.faults[route]
	r.mu.Unlock()
	if f != nil {
		f(w, req, r.proxy)
		return
	}
	r.proxy.ServeHTTP(w, req)
}

// pass waits while nothing is forwarded. It says whether someone still waits.
func (r *road) pass(ctx context.Context) bool {
	r.mu.Lock()
	held := r.held
	r.mu.Unlock()
	if held != nil {
		select {
		case <-held:
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

// break a route, as often as it is used.
func (r *road) damage(route string, f fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults[route] = f
}

// damageOnce breaks a route for one request.
func (r *road) damageOnce(route string, f fault) {
	r.damage(route, func(w http.ResponseWriter, req *http.Request, forward http.Handler) {
		r.damage(route, nil)
		f(w, req, forward)
	})
}

func (r *road) open() {
	listener, err := net.Listen("unix", r.socket)
	assert.NilError(r.t, err)
	r.server = &http.Server{Handler: r}
	go func() { _ = r.server.Serve(listener) }()
}

// stop is what a stopped engine looks like: everything breaks off, and nobody
// answers.
func (r *road) stop() {
	_ = r.server.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.streams {
		s.cut()
	}
}

// hold is what a hanging engine looks like.
func (r *road) hold() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held = make(chan struct{})
}

// heal makes the road what it should be.
func (r *road) heal() {
	r.mu.Lock()
	clear(r.faults)
	if r.held != nil {
		close(r.held)
		r.held = nil
	}
	streams := r.streams
	r.mu.Unlock()
	for _, s := range streams {
		s.release()
	}
}

// restart is an engine that comes back.
func (r *road) restart() {
	r.heal()
	r.open()
}

func (r *road) tap(conn net.Conn) net.Conn {
	s := &tap{Conn: conn, road: r, free: make(chan struct{})}
	close(s.free)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.streams = append(r.streams, s)
	return s
}

// onStreams orders something for all attached streams.
func (r *road) onStreams(order func(*tap)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.streams {
		order(s)
	}
}

// status is an engine that answers with an error.
func status(code int) fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, `{"message": "something\nis wrong"}`)
	}
}

// garbage is an answer of something that is no engine.
func garbage(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{]<html>`)
}

// reset closes the connection before the engine sees the request.
func reset(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }

// unanswered closes the connection once the engine has done what was asked.
func unanswered(_ http.ResponseWriter, r *http.Request, forward http.Handler) {
	forward.ServeHTTP(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

// half sends half of the engine's answer.
func half(w http.ResponseWriter, r *http.Request, forward http.Handler) {
	whole := httptest.NewRecorder()
	if routeOf(r) != "attach" { // which has no end
		forward.ServeHTTP(whole, r)
	}
	raw, err := httputil.DumpResponse(whole.Result(), true)
	if err != nil {
		panic(err)
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	text := strings.Replace(string(raw), "Connection: close\r\n", "Content-Length: 500\r\n", 1)
	_, _ = io.WriteString(conn, text[:len(text)-len(text)/4])
}

// never takes the request and says nothing.
func (r *road) never(_ http.ResponseWriter, req *http.Request, _ http.Handler) {
	_, _ = io.Copy(io.Discard, req.Body) // or the server does not see the client go
	<-req.Context().Done()
}
