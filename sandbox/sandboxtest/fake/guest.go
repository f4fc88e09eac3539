package fake

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// Call is what a shell, an interpreter or a program was asked.
type Call struct {
	Tool  string // the route, for example wire.PathShell
	Text  string // command or code; "" for a program
	Argv  []string
	Stdin []byte
}

// guest answers as the real one does, as far as no program is needed.
type guest struct {
	engine *Engine
	setup  wire.Setup
	files  *store
	calls  atomic.Int64
	end    context.CancelFunc
	// within gives a context that ends after a time, and with the container.
	within func(time.Duration) (context.Context, context.CancelFunc)

	shell, python sync.Mutex // one call of each at a time
}

func newGuest(e *Engine, spec sandbox.Spec) *guest {
	g := &guest{engine: e, setup: spec.Setup, files: newStore("/tmp", spec.Setup.Home, spec.Policy.Workdir)}
	living, end := context.WithCancel(context.Background())
	g.end = end
	g.within = func(limit time.Duration) (context.Context, context.CancelFunc) {
		return context.WithTimeout(living, limit)
	}
	return g
}

func (g *guest) serve(conn net.Conn) {
	defer g.end()
	session, err := wire.GuestSession(conn)
	if err != nil {
		return
	}
	_ = (&http.Server{Handler: g.routes()}).Serve(session)
}

func (g *guest) routes() http.Handler {
	own := http.NewServeMux()
	own.HandleFunc("GET "+wire.PathHello, func(w http.ResponseWriter, _ *http.Request) {
		reply(w, wire.Hello{Version: wire.Version, Arch: "amd64", Shell: "/bin/bash", ShellIs: "bash", Python: "/usr/bin/python3", PythonIs: "3.11", Cgroup: 2})
	})
	own.HandleFunc("GET "+wire.PathStats, func(w http.ResponseWriter, _ *http.Request) {
		reply(w, wire.Stats{Pids: 1 + g.calls.Load(), PidsLimit: 512, MemoryBytes: 1 << 20, MemoryLimit: 1 << 30})
	})
	own.HandleFunc("POST "+wire.PathShell, func(w http.ResponseWriter, r *http.Request) {
		var req wire.ShellRequest
		if ask(w, r, &req) {
			g.shell.Lock()
			defer g.shell.Unlock()
			reply(w, g.run(Call{Tool: wire.PathShell, Text: req.Command}, req.Timeout))
		}
	})
	own.HandleFunc("POST "+wire.PathPython, func(w http.ResponseWriter, r *http.Request) {
		var req wire.PythonRequest
		if ask(w, r, &req) {
			g.python.Lock()
			defer g.python.Unlock()
			reply(w, g.run(Call{Tool: wire.PathPython, Text: req.Code}, req.Timeout))
		}
	})
	own.HandleFunc("POST "+wire.PathExec, func(w http.ResponseWriter, r *http.Request) {
		var req wire.ExecRequest
		if ask(w, r, &req) {
			reply(w, g.run(Call{Tool: wire.PathExec, Argv: req.Argv, Stdin: req.Stdin}, req.Timeout))
		}
	})
	own.HandleFunc("POST "+wire.PathQuiet, func(w http.ResponseWriter, _ *http.Request) { reply(w, struct{}{}) })
	g.files.routes(own)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if other := g.engine.Answers[r.URL.Path]; other != nil {
			other(w, r)
			return
		}
		own.ServeHTTP(w, r)
	})
}

// run has the call answered within its limit.
func (g *guest) run(call Call, limit time.Duration) wire.Result {
	g.calls.Add(1)
	defer g.calls.Add(-1)
	ctx, cancel := g.within(limit)
	defer cancel()
	answer := g.engine.Run
	if answer == nil {
		answer = Say
	}
	began := time.Now()
	res := answer(ctx, call)
	res.Duration = time.Since(began)
	if ctx.Err() != nil {
		res.Status, res.ExitCode = wire.StatusTimeout, 124
	}
	if res.Status == "" {
		res.Status = wire.StatusOK
	}
	res.Total = int64(len(res.Head))
	return res
}

func ask(w http.ResponseWriter, r *http.Request, into any) bool {
	if err := json.NewDecoder(r.Body).Decode(into); err != nil {
		refuse(w, wire.CodeInvalid, err.Error())
		return false
	}
	return true
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func refuse(w http.ResponseWriter, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusUnprocessableEntity)
	_ = json.NewEncoder(w).Encode(wire.Failure{Code: code, Message: message})
}
