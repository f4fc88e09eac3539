package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox/wire"
)

var honestHello = wire.Hello{Version: wire.Version, Arch: "amd64", Shell: "/bin/bash", ShellIs: "bash", Python: "/usr/bin/python3", Cgroup: 2}

func honestResult() wire.Result {
	p := DefaultPolicy()
	head, tail := bytes.Repeat([]byte("h"), p.HeadBytes), bytes.Repeat([]byte("t"), p.TailBytes)
	return wire.Result{
		Status: wire.StatusExitNonzero, ExitCode: 255, Duration: p.MaxTimeout + time.Second, Head: head, Tail: tail,
		Total: 1 << 40, Dropped: 1<<40 - int64(len(head)+len(tail)), Log: wire.OutputDir + "/output-1.txt",
		Killed: 3, Replaced: "the shell ended", Dir: "/workspace/\xff\n", Jobs: []wire.Job{{PID: 7, Command: "sleep\n1"}},
		Images: []wire.Image{{MIME: "image/png", Data: []byte("\x89PNG\r\n\x1a\nx")}, {MIME: "image/jpeg", Data: []byte("\xff\xd8\xff\xe0")}},
	}
}

func entry(kind, path string) wire.WalkEntry { return wire.WalkEntry{Kind: kind, Path: []byte(path)} }

// What an honest guest may say at the most is believed.
func TestHonestAnswers(t *testing.T) {
	p := DefaultPolicy()
	assert.NilError(t, verifyResult(honestResult(), p))
	assert.NilError(t, verifyResult(wire.Result{Status: wire.StatusOK, Head: make([]byte, p.HeadBytes+p.TailBytes), Total: int64(p.HeadBytes + p.TailBytes)}, p))
	assert.NilError(t, verifyHello(honestHello))
	assert.NilError(t, verifyHello(wire.Hello{Version: wire.Version}))
	assert.NilError(t, verifyStats(wire.Stats{MemoryLimit: 1<<63 - 4096, Pids: 1 << 22}))
	assert.NilError(t, verifyFailure(wire.Failure{Code: wire.CodeNotFound, Message: "open /a\nb: no such file"}))
	assert.NilError(t, verifyFileInfo(wire.FileInfo{Path: []byte("/a/../\xff"), Mode: 0o777, Size: 1 << 62}))
	assert.NilError(t, verifyContent(wire.FileInfo{Path: []byte("/a"), Truncated: true}, 10, 10))
	assert.NilError(t, verifyContent(wire.FileInfo{Path: []byte("/proc/stat")}, 5, 10))
	for _, e := range []wire.WalkEntry{
		entry("d", "a"), entry("o", "a/...\n"),
		{Kind: "l", Path: []byte("l"), Target: []byte("/etc/passwd")},
		{Kind: "f", Path: []byte(strings.Repeat("d/", 2000) + "\xff"), Sum: make([]byte, 32), Size: 1 << 50},
		{Kind: "f", Path: []byte("f"), Err: "no"},
	} {
		assert.NilError(t, verifyWalkEntry(e))
	}
}

func TestResultsThatLie(t *testing.T) {
	for name, lie := range map[string]func(*wire.Result){
		"status":              func(r *wire.Result) { r.Status = "sandbox_lost" },
		"exit code":           func(r *wire.Result) { r.ExitCode = 256 },
		"negative exit code":  func(r *wire.Result) { r.ExitCode = -1 },
		"status ok":           func(r *wire.Result) { r.Status = wire.StatusOK },
		"negative time":       func(r *wire.Result) { r.Duration = -1 },
		"time":                func(r *wire.Result) { r.Duration = time.Hour },
		"head":                func(r *wire.Result) { r.Head, r.Dropped = append(r.Head, 'x'), r.Dropped-1 },
		"tail":                func(r *wire.Result) { r.Tail, r.Dropped = append(r.Tail, 'x'), r.Dropped-1 },
		"total":               func(r *wire.Result) { r.Total++ },
		"negative dropped":    func(r *wire.Result) { r.Total, r.Dropped = 1, 1-int64(len(r.Head)+len(r.Tail)) },
		"absurd total":        func(r *wire.Result) { r.Total, r.Dropped = r.Total<<20, r.Dropped+r.Total<<20-r.Total },
		"tail without gap":    func(r *wire.Result) { r.Log, r.Dropped, r.Total = "", 0, int64(len(r.Head)+len(r.Tail)) },
		"log elsewhere":       func(r *wire.Result) { r.Log = "/etc/passwd" },
		"log of dots":         func(r *wire.Result) { r.Log = wire.OutputDir + "/../guest" },
		"log of lines":        func(r *wire.Result) { r.Log = wire.OutputDir + "/a\nb" },
		"directory":           func(r *wire.Result) { r.Dir = "workspace" },
		"long directory":      func(r *wire.Result) { r.Dir = "/" + strings.Repeat("d", wire.MaxPath) },
		"directory of NUL":    func(r *wire.Result) { r.Dir = "/\x00" },
		"jobs":                func(r *wire.Result) { r.Jobs = make([]wire.Job, wire.MaxJobs+1) },
		"job's process":       func(r *wire.Result) { r.Jobs[0].PID = 0 },
		"job's command":       func(r *wire.Result) { r.Jobs[0].Command = strings.Repeat("x", wire.MaxJobCommand+1) },
		"images":              func(r *wire.Result) { r.Images = make([]wire.Image, wire.MaxImages+1) },
		"image's kind":        func(r *wire.Result) { r.Images[0].MIME = "image/svg+xml" },
		"image's content":     func(r *wire.Result) { r.Images[0].Data = []byte("<svg>") },
		"image's size":        func(r *wire.Result) { r.Images[0].Data = append(r.Images[0].Data, make([]byte, wire.MaxImage)...) },
		"kills":               func(r *wire.Result) { r.Killed = -1 },
		"out of memory":       func(r *wire.Result) { r.OOMKills = -1 },
		"replaced by control": func(r *wire.Result) { r.Replaced = "a\x1b[2Jb" },
		"replaced at length":  func(r *wire.Result) { r.Replaced = strings.Repeat("x", 1000) },
	} {
		r := honestResult()
		lie(&r)
		assert.ErrorContains(t, verifyResult(r, DefaultPolicy()), "the guest's answer is impossible", name)
	}
}

func TestFilesThatLie(t *testing.T) {
	long := strings.Repeat("d", wire.MaxWalkPath)
	for _, path := range []string{"", "/a", "a//b", "a/", ".", "..", "a/../b", "./a", "a/.", "a\x00b", long} {
		assert.Assert(t, verifyWalkEntry(entry("f", path)) != nil, "%q", path)
		assert.Assert(t, verifyListing(wire.Listing{Entries: []wire.ListEntry{{Path: []byte(path)}}}) != nil, "%q", path)
	}
	for name, e := range map[string]wire.WalkEntry{
		"kind": entry("x", "a"), "no kind": entry("", "a"), "mode": {Kind: "f", Path: []byte("a"), Mode: 0o4755}, "size": {Kind: "f", Path: []byte("a"), Size: -1},
		"hash": {Kind: "f", Path: []byte("a"), Sum: make([]byte, 31)}, "hash of a directory": {Kind: "d", Path: []byte("a"), Sum: make([]byte, 32)},
		"target of a file": {Kind: "f", Path: []byte("a"), Target: []byte("b")}, "target": {Kind: "l", Path: []byte("a"), Target: []byte(long)},
		"reason": {Kind: "f", Path: []byte("a"), Err: strings.Repeat("x", wire.MaxMessage+1)},
	} {
		assert.Assert(t, verifyWalkEntry(e) != nil, name)
	}
	for name, f := range map[string]wire.FileInfo{
		"relative": {Path: []byte("a")}, "none": {}, "NUL": {Path: []byte("/\x00")}, "long": {Path: []byte("/" + long)},
		"mode": {Path: []byte("/a"), Mode: 0o4755}, "size": {Path: []byte("/a"), Size: -1},
	} {
		assert.Assert(t, verifyFileInfo(f) != nil, name)
	}
	assert.Assert(t, verifyContent(wire.FileInfo{Path: []byte("/a"), Truncated: true}, 9, 10) != nil, "cut before the limit")
	assert.Assert(t, verifyContent(wire.FileInfo{Path: []byte("/a"), IsDir: true}, 0, 10) != nil)
	assert.Assert(t, verifyListing(wire.Listing{Entries: make([]wire.ListEntry, wire.MaxListing+1)}) != nil)
}

func TestOthersThatLie(t *testing.T) {
	for name, lie := range map[string]func(*wire.Hello){
		"shell": func(h *wire.Hello) { h.ShellIs = "zsh; ignore all" }, "no shell": func(h *wire.Hello) { h.Shell = "" },
		"relative": func(h *wire.Hello) { h.Python = "python3" }, "control": func(h *wire.Hello) { h.Git = "/git\x1b]0;" },
		"version": func(h *wire.Hello) { h.PythonIs = strings.Repeat("3", 100) }, "cgroup": func(h *wire.Hello) { h.Cgroup = 3 },
		"architecture": func(h *wire.Hello) { h.Arch = "a\nb" },
	} {
		h := honestHello
		lie(&h)
		assert.Assert(t, verifyHello(h) != nil, name)
	}
	assert.Assert(t, verifyStats(wire.Stats{Pids: -1}) != nil)
	assert.Assert(t, verifyStats(wire.Stats{OOMKills: 1 << 60}) != nil)
	assert.Assert(t, verifyStats(wire.Stats{MemoryLimit: -1}) != nil)
	assert.Assert(t, verifyFailure(wire.Failure{Code: "fine"}) != nil)
	assert.Assert(t, verifyFailure(wire.Failure{Code: wire.CodeBusy, Message: strings.Repeat("x", wire.MaxMessage+1)}) != nil)
}

// guestOf greets like an honest guest and then does what the handler does.
func guestOf(handler http.Handler) func(net.Conn) {
	return func(conn net.Conn) {
		session, err := wire.GuestSession(conn)
		if err != nil {
			return
		}
		mux := http.NewServeMux()
		mux.HandleFunc(wire.PathHello, func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(honestHello) })
		mux.Handle("/", handler)
		_ = http.Serve(session, mux)
	}
}

// pipeEngine is an engine whose containers are a guest at the end of a pipe. The
// fake engine cannot be used inside of the package that it is made for.
type pipeEngine func(net.Conn)

func (e pipeEngine) Start(context.Context, Spec) (Container, error) {
	host, guest := net.Pipe()
	go e(guest)
	return pipeContainer{host}, nil
}

type pipeContainer struct{ net.Conn }

func (c pipeContainer) Stream() io.ReadWriteCloser   { return c.Conn }
func (c pipeContainer) State(context.Context) State  { return State{Text: "running"} }
func (c pipeContainer) Remove(context.Context) error { return c.Close() }

// boxWith is a sandbox with a guest of its own kind.
func boxWith(t testing.TB, guest func(net.Conn)) *Sandbox {
	t.Helper()
	box, err := new(Client).Create(t.Context(), pipeEngine(guest), "run", DefaultPolicy())
	assert.NilError(t, err)
	t.Cleanup(func() { _ = box.Close(context.Background()) })
	return box
}

// A lie loses the sandbox, and what the error says of it can be shown.
func TestLiesLoseTheSandbox(t *testing.T) {
	box := boxWith(t, guestOf(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case wire.PathStats:
			http.Redirect(w, r, "http://elsewhere/", http.StatusFound)
			return
		case wire.PathQuiet:
			w.WriteHeader(http.StatusUnprocessableEntity)
			_ = json.NewEncoder(w).Encode(wire.Failure{Code: "\x1b[2J\n", Message: "x"})
			return
		}
		_ = json.NewEncoder(w).Encode(wire.Result{Status: "\x1b[2J\u202e"})
	})))
	_, statsErr := box.Stats(t.Context())
	_, callErr := box.Shell(t.Context(), "x", 0, false)
	for name, err := range map[string]error{"stats": statsErr, "shell": callErr, "quiesce": box.Quiesce(t.Context())} {
		var lost *LostError
		assert.Assert(t, errors.As(err, &lost), "%s: %v", name, err)
		assert.Assert(t, plain(err.Error(), 1000), "%q", err)
	}
	assert.ErrorContains(t, statsErr, "the guest answered 302 Found")
}

// A refusal is an honest answer; its text is made fit to be shown.
func TestRefusalsAreTamed(t *testing.T) {
	box := boxWith(t, guestOf(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnprocessableEntity)
		_ = json.NewEncoder(w).Encode(wire.Failure{Code: wire.CodeNotFound, Message: "open a\nb\x1b[2J\u202e: gone"})
	})))
	_, _, err := box.ReadFile(t.Context(), "/x", 10)
	var call *CallError
	assert.Assert(t, errors.As(err, &call), "%v", err)
	assert.Equal(t, call.Code, wire.CodeNotFound)
	assert.Equal(t, call.Message, "open a b [2J\uFFFD: gone")
}
