// Package fake is an engine in memory. Its containers run no programs: calls are
// answered by a function, files are kept in a map. What a real engine and a real
// guest do wrong once in a thousand times, this one does when it is told to.
package fake

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// Engine starts containers that are not there. The zero value is ready; its
// fields are read when a container starts. It is safe for concurrent use.
type Engine struct {
	// Run answers a call of the shell, of the interpreter or of a program. Its
	// context ends with the call's limit and with the container. Nil stands for Say.
	Run func(ctx context.Context, call Call) wire.Result
	// Answers take the place of the guest's own, by route.
	Answers map[string]http.HandlerFunc
	// Guest takes the place of the guest altogether.
	Guest func(net.Conn)
	// StartErr keeps a container from starting, RemoveErr one from being removed.
	StartErr, RemoveErr error

	mu         sync.Mutex
	containers []*Container
}

// Start makes a container, with a guest at the other end of its stream.
func (e *Engine) Start(_ context.Context, spec sandbox.Spec) (sandbox.Container, error) {
	if e.StartErr != nil {
		return nil, e.StartErr
	}
	host, guest := net.Pipe()
	c := &Container{line: &line{Conn: host, gone: make(chan struct{})}, removeErr: e.RemoveErr, state: sandbox.State{Text: "running"}}
	e.mu.Lock()
	e.containers = append(e.containers, c)
	e.mu.Unlock()
	serve := e.Guest
	if serve == nil {
		serve = newGuest(e, spec).serve
	}
	go serve(guest)
	return c, nil
}

// Containers gives all that were started, the removed ones too.
func (e *Engine) Containers() []*Container {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]*Container(nil), e.containers...)
}

// Container is one that a test can do things to.
type Container struct {
	line      *line
	removeErr error

	mu      sync.Mutex
	state   sandbox.State
	removed int
}

// Stream is the guest's stdin and stdout.
func (c *Container) Stream() io.ReadWriteCloser { return c.line }

// State is what was reported last.
func (c *Container) State(context.Context) sandbox.State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

// Remove ends the container.
func (c *Container) Remove(context.Context) error {
	c.mu.Lock()
	c.removed++
	c.state = sandbox.State{Stopped: true, Text: "removed"}
	c.mu.Unlock()
	_ = c.line.Close()
	return c.removeErr
}

// Removed is how often the container was removed.
func (c *Container) Removed() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.removed
}

// Report sets what the engine says of the container.
func (c *Container) Report(state sandbox.State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = state
}

// Exit ends the container as its first process would, for a reason such as
// "exited (137), out of memory".
func (c *Container) Exit(reason string) {
	c.Report(sandbox.State{Stopped: true, Text: reason})
	_ = c.line.Conn.Close()
}

// Pause freezes the container.
func (c *Container) Pause() {
	c.Report(sandbox.State{Stopped: true, Text: "paused"})
	c.Silence()
}

// Silence keeps every byte of the guest from arriving.
func (c *Container) Silence() { c.line.disturb(c.line.hold) }

// Cut ends the stream in the middle of what the guest says next.
func (c *Container) Cut() {
	c.line.disturb(func(said []byte) []byte {
		_ = c.line.Conn.Close()
		return said[:len(said)/2]
	})
}

// Garble puts nonsense in the place of what the guest says next.
func (c *Container) Garble() {
	c.line.disturb(func(said []byte) []byte {
		for i := range said {
			said[i] = "no such thing\n"[i%14]
		}
		return said
	})
}
