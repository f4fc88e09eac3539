package guest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/hashicorp/yamux"

	"drydock/sandbox/wire"
)

// worker is a process of the tool user that serves requests which the supervisor
// only passes on. One does the file work, so that no path, whatever links it goes
// through, reaches more than that user could; one holds the terminals. Model code
// may kill a worker: the next request starts another.
type worker struct {
	g    *Guest
	name string          // for errors
	mode func() []string // the mode of this program that it runs, and its arguments
	env  []string        // before the tool user's usual one

	mu        sync.Mutex
	proc      *process
	session   *yamux.Session
	transport *http.Transport
	asked     int64  // how many calls there had been when it last answered
	limits    []byte // its resource limits at the start
}

// ServeHTTP passes a request to the worker process.
func (w *worker) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPut {
		if err := w.g.disk.admit(); err != nil {
			answer(rw, nil, err)
			return
		}
	}
	transport, err := w.ensure()
	if err != nil {
		answer(rw, nil, fmt.Errorf("start %s: %w", w.name, err))
		return
	}
	proxy := httputil.ReverseProxy{
		Rewrite:   func(pr *httputil.ProxyRequest) { pr.SetURL(&url.URL{Scheme: "http", Host: "worker"}) },
		Transport: transport,
		ErrorHandler: func(rw http.ResponseWriter, _ *http.Request, err error) {
			answer(rw, nil, fmt.Errorf("%s: %w", w.name, err))
		},
	}
	defer w.keepAwake()()
	proxy.ServeHTTP(rw, r)
}

// wakeEvery is how often a worker at work is woken, in case a program keeps
// stopping it.
const wakeEvery = 20 * time.Millisecond

func (w *worker) keepAwake() (stop func()) {
	pid, done := w.live(), make(chan struct{})
	go func() {
		ticks := time.NewTicker(wakeEvery)
		defer ticks.Stop()
		for {
			select {
			case <-ticks.C:
				_ = syscall.Kill(pid, syscall.SIGCONT)
			case <-done:
				return
			}
		}
	}()
	return func() { close(done) }
}

// ensure returns the way to a live worker.
func (w *worker) ensure() (*http.Transport, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.proc != nil {
		if w.answers() {
			return w.transport, nil
		}
		w.end()
	}
	err := w.start()
	return w.transport, err
}

// answers says whether the worker is there. Model code may have killed it, or
// stopped it, which is taken back here.
func (w *worker) answers() bool {
	select {
	case <-w.proc.done:
		return false
	default:
	}
	_ = syscall.Kill(w.proc.pid, syscall.SIGCONT)
	calls := w.g.calls.Load()
	if calls == w.asked {
		return !w.session.IsClosed()
	}
	// A call in between may have taken its means away, or killed it, which is
	// seen only a moment later.
	if !bytes.Equal(limitsOf(w.proc.pid), w.limits) {
		return false
	}
	_, err := w.session.Ping()
	w.asked = calls
	return err == nil
}

// limitsOf is the kernel's table of a process's resource limits. Processes of
// the same user may change them.
func limitsOf(pid int) []byte {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid))
	return raw
}

func (w *worker) end() {
	_ = syscall.Kill(w.proc.pid, syscall.SIGKILL)
	w.transport.CloseIdleConnections()
	_ = w.session.Close()
	w.proc = nil
}

func (w *worker) start() error {
	ours, theirs, err := socketPair()
	if err != nil {
		return err
	}
	defer theirs.Close()
	proc, err := w.g.reaper.start(spec{
		argv: append([]string{wire.GuestPath, "launch", wire.GuestPath}, w.mode()...),
		dir:  "/", env: append(w.env, w.g.env...),
		files: []*os.File{theirs, os.Stderr, os.Stderr}, uid: w.g.setup.UID, gid: w.g.setup.GID,
	})
	if err != nil {
		_ = ours.Close()
		return err
	}
	session, err := wire.HostSession(ours)
	if err != nil {
		_ = ours.Close()
		return err
	}
	w.proc, w.session, w.limits = proc, session, limitsOf(proc.pid)
	w.transport = &http.Transport{
		DialContext:         func(context.Context, string, string) (net.Conn, error) { return session.Open() },
		MaxIdleConnsPerHost: 2,
		ReadBufferSize:      wire.Buffer,
		WriteBufferSize:     wire.Buffer,
		DisableCompression:  true,
	}
	return nil
}

func (w *worker) live() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.proc == nil {
		return 0
	}
	return w.proc.pid
}

func socketPair() (ours io.ReadWriteCloser, theirs *os.File, err error) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make socket pair: %w", err)
	}
	left := os.NewFile(uintptr(fds[0]), "worker")
	theirs = os.NewFile(uintptr(fds[1]), "supervisor")
	conn, err := net.FileConn(left)
	_ = left.Close()
	if err != nil {
		_ = theirs.Close()
		return nil, nil, fmt.Errorf("use socket pair: %w", err)
	}
	return conn, theirs, nil
}

// newFileWorker makes the worker that does the file work.
func newFileWorker(g *Guest) *worker {
	mode := func() []string { return append([]string{"files"}, g.setup.Outside...) }
	return &worker{g: g, name: "file worker", mode: mode, env: []string{"GOMEMLIMIT=96MiB", "GOGC=50"}}
}

// serveFiles is the worker process of the files. outside names what does not
// count as the run's disk.
func serveFiles(outside []string) error { return serveWorker(fileRoutes(outside)) }

// serveWorker serves requests in a worker process. Its descriptor 0 is the
// supervisor.
func serveWorker(routes http.Handler) error {
	if err := protectWorker(); err != nil {
		return err
	}
	conn, err := net.FileConn(os.Stdin)
	if err != nil {
		return fmt.Errorf("open supervisor's socket: %w", err)
	}
	_ = os.Stdin.Close()
	session, err := wire.GuestSession(conn)
	if err != nil {
		return err
	}
	return (&http.Server{Handler: routes}).Serve(session)
}
