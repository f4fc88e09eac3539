package sandboxtest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

func runID() string { return "test-" + rand.Text() }

func newClient() *sandbox.Client { return new(sandbox.Client) }

// closing: a sandbox is closed once, however often and from wherever it is
// asked for, and says so to every call.
func closing(t *testing.T, s suite) {
	box := s.box(t)
	ctx := t.Context()

	t.Run("a cancelled call", func(t *testing.T) {
		cause := errors.New("enough")
		short, cancel := context.WithCancelCause(ctx)
		time.AfterFunc(100*time.Millisecond, func() { cancel(cause) })
		_, err := box.Shell(short, "sleep 3", 0, false)
		assert.ErrorIs(t, err, cause)
		alive(t, box)
	})

	running := make(chan error, 2)
	go func() { _, err := box.Shell(ctx, "sleep 1000", 0, false); running <- err }()
	go func() { _, err := box.Python(ctx, "import time; time.sleep(1000)", 0, false); running <- err }()
	waitFor(t, func() bool { st, err := box.Stats(ctx); return err == nil && st.Pids > 2 })

	var wg sync.WaitGroup
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for range 5 {
		wg.Go(func() { assert.Check(t, box.Close(ended)) })
	}
	wg.Wait()
	assert.NilError(t, box.Close(ctx))
	for range 2 {
		assert.ErrorIs(t, <-running, sandbox.ErrClosed)
	}
	for name, call := range map[string]func() error{
		"shell":  func() error { _, err := box.Shell(ctx, "true", 0, false); return err },
		"python": func() error { _, err := box.Python(ctx, "1", 0, false); return err },
		"exec":   func() error { _, err := box.Exec(ctx, wire.ExecRequest{Argv: []string{"true"}}); return err },
		"stats":  func() error { _, err := box.Stats(ctx); return err },
		"read":   func() error { _, _, err := box.ReadFile(ctx, "/etc/passwd", 1); return err },
		"write":  func() error { _, err := box.WriteFile(ctx, "/tmp/x", nil, wire.WriteOptions{}); return err },
		"walk":   func() error { return box.Walk(ctx, "/", func(wire.WalkEntry) error { return nil }) },
		"in":     func() error { return box.CopyIn(ctx, "/tmp", bytes.NewReader(make([]byte, 1024))) },
		"out":    func() error { return box.CopyOut(ctx, "/", []string{"etc"}, nil) },
	} {
		assert.ErrorIs(t, call(), sandbox.ErrClosed, name)
	}
}

// client: the process-wide owner closes everything, once or many times, also
// when its own context has ended.
func client(t *testing.T, s suite) {
	ctx := t.Context()
	policy := s.policy
	policy.MemoryBytes = 256 << 20
	c := newClient()
	boxes := []*sandbox.Sandbox{s.open(t, c, policy), s.open(t, c, policy)}
	assert.Equal(t, c.Open(), 2)

	ended, cancel := context.WithCancel(ctx)
	cancel()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { assert.Check(t, c.Cleanup(ended)) })
	}
	wg.Wait()
	assert.Equal(t, c.Open(), 0)
	for _, box := range boxes {
		_, err := box.Shell(ctx, "true", 0, false)
		assert.ErrorIs(t, err, sandbox.ErrClosed)
	}
	assert.NilError(t, c.Cleanup(ctx))

	again := s.open(t, c, policy) // a cleanup is not the end
	assert.Equal(t, c.Open(), 1)
	assert.NilError(t, again.Close(ctx))
	assert.Equal(t, c.Open(), 0)

	assert.NilError(t, c.Shutdown(ctx))
	assert.NilError(t, c.Shutdown(ctx))
	_, err := c.Create(ctx, s.engine, runID(), policy)
	assert.ErrorIs(t, err, sandbox.ErrClosed)
	assert.Equal(t, c.Open(), 0)

	bad := policy
	bad.Pids, bad.Workdir = 1, "relative"
	_, err = newClient().Create(ctx, s.engine, runID(), bad)
	assert.ErrorContains(t, err, "pids is 1")
	assert.ErrorContains(t, err, "relative")
}

// waitFor polls for something that happens inside, within the usual patience.
func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !done() {
		assert.Assert(t, time.Now().Before(deadline), "did not happen in time")
		time.Sleep(10 * time.Millisecond)
	}
}
