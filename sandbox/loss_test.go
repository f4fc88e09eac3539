package sandbox_test

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/sandboxtest/fake"
	"drydock/sandbox/wire"
)

// patience is how long on a busy machine something may take that must come soon.
const patience = 20 * time.Second

func newBox(t *testing.T, engine *fake.Engine) (*sandbox.Sandbox, *fake.Container) {
	t.Helper()
	box, err := sandbox.Hasty(patience, 20*time.Millisecond).Create(t.Context(), engine, "run", sandbox.DefaultPolicy())
	assert.NilError(t, err)
	t.Cleanup(func() { _ = box.Close(context.Background()) })
	return box, engine.Containers()[0]
}

func assertLost(t *testing.T, err error) *sandbox.LostError {
	t.Helper()
	var lost *sandbox.LostError
	assert.Assert(t, errors.As(err, &lost), "%v", err)
	assert.Assert(t, !strings.Contains(err.Error(), "\n"), "more than one line: %q", err.Error())
	return lost
}

// Whatever becomes of a container, all that is in flight ends as the sandbox's
// failure, with the same fact, and what comes later ends at once.
func TestEverythingInFlightEndsWithTheSandbox(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	t.Run("faults", func(t *testing.T) {
		for name, row := range map[string]struct {
			happen func(*fake.Container)
			state  string
		}{
			"exit":   {func(c *fake.Container) { c.Exit("exited (137), out of memory") }, "exited (137), out of memory"},
			"pause":  {(*fake.Container).Pause, "paused"},
			"cut":    {(*fake.Container).Cut, "running"},
			"garble": {(*fake.Container).Garble, "running"},
			"silence": {func(c *fake.Container) {
				c.Report(sandbox.State{Idle: true, Text: "running"})
				c.Silence()
			}, "running"},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				box, container := newBox(t, new(fake.Engine))
				ended := make(chan error)
				calls := []func() error{
					func() error { _, err := box.Shell(t.Context(), "sleep 60", time.Minute, false); return err },
					func() error { _, err := box.Python(t.Context(), "sleep 60", time.Minute, false); return err },
					func() error { return box.CopyIn(t.Context(), "/tmp", endless{}) },
				}
				for _, call := range calls {
					go func() { ended <- call() }()
				}
				for st, err := box.Stats(t.Context()); st.Pids < 3; st, err = box.Stats(t.Context()) {
					assert.NilError(t, err)
				}
				began := time.Now()
				row.happen(container)
				first := assertLost(t, <-ended)
				assert.Equal(t, first.State, row.state)
				for range calls[1:] {
					lost := assertLost(t, <-ended)
					assert.Equal(t, lost.State+lost.Err.Error(), first.State+first.Err.Error())
				}
				_, err := box.Stats(t.Context())
				assert.Equal(t, assertLost(t, err).State, row.state)
				assert.Assert(t, time.Since(began) < patience)
				assert.NilError(t, box.Close(t.Context()))
				_, err = box.Stats(t.Context())
				assert.ErrorIs(t, err, sandbox.ErrClosed)
			})
		}
	})
	goleak.VerifyNone(t, ignore)
}

// endless is an archive without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	time.Sleep(time.Millisecond)
	header := make([]byte, 512)
	hdr := tar.Header{Name: "x", Typeflag: tar.TypeReg, Size: 1 << 40, Mode: 0o644, Format: tar.FormatGNU}
	_ = tar.NewWriter(writer{header}).WriteHeader(&hdr)
	return copy(p, header), nil
}

type writer struct{ to []byte }

func (w writer) Write(p []byte) (int, error) { return copy(w.to, p), nil }

// What a hostile guest answers is bounded and checked; after that, nothing it
// says is listened to.
func TestGuestThatTurnsHostile(t *testing.T) {
	t.Parallel()
	says := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(wire.InfoHeader, "{")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	flood := func(w http.ResponseWriter, _ *http.Request) {
		for err := error(nil); err == nil; {
			_, err = w.Write(make([]byte, 1<<16))
		}
	}
	walk := func(box *sandbox.Sandbox) error {
		return box.Walk(t.Context(), "/", func(wire.WalkEntry) error { return nil })
	}
	stats := func(box *sandbox.Sandbox) error { _, err := box.Stats(t.Context()); return err }
	read := func(box *sandbox.Sandbox) error { _, _, err := box.ReadFile(t.Context(), "/x", 10); return err }
	shell := func(box *sandbox.Sandbox) error { _, err := box.Shell(t.Context(), "true", 0, false); return err }
	for name, row := range map[string]struct {
		route  string
		answer http.HandlerFunc
		call   func(*sandbox.Sandbox) error
	}{
		"a line without an end":  {wire.PathWalk, flood, walk},
		"an entry that is none":  {wire.PathWalk, says(200, "{}\n[\n"), walk},
		"a strange status":       {wire.PathStats, says(http.StatusTeapot, `{"code": "", "message": "x"}`), stats},
		"wrong JSON":             {wire.PathStats, says(200, `{"pids": "many"}`), stats},
		"half of the JSON":       {wire.PathShell, says(200, `{"status": "o`), shell},
		"a refusal without end":  {wire.PathShell, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(422); flood(w, r) }, shell},
		"an answer without end":  {wire.PathShell, flood, shell},
		"no description of file": {wire.PathFile, says(200, "x"), read},
		"more than asked for": {wire.PathFile, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(wire.InfoHeader, `{"path": "L3g="}`)
			_, _ = w.Write(make([]byte, 4096))
		}, read},
		"a broken answer": {wire.PathFile, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, read},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box, _ := newBox(t, &fake.Engine{Answers: map[string]http.HandlerFunc{row.route: row.answer}})
			began := time.Now()
			_ = assertLost(t, row.call(box))
			_, err := box.Shell(t.Context(), "echo x", 0, false)
			_ = assertLost(t, err)
			assert.Assert(t, time.Since(began) < patience)
		})
	}
}

// A call ends when its caller says so, also on a guest that is silent.
func TestACallThatIsCancelledOnASilentGuest(t *testing.T) {
	t.Parallel()
	box, container := newBox(t, new(fake.Engine))
	container.Silence()
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(enough) })
	_, err := box.Shell(ctx, "sleep 60", 0, false)
	assert.ErrorIs(t, err, enough)
	assert.Assert(t, container.Removed() == 0)
	assert.NilError(t, box.Close(t.Context()))
}

// A removal that fails is told by every Close.
func TestContainerThatIsNotRemoved(t *testing.T) {
	t.Parallel()
	refused := errors.New("removal refused")
	box, container := newBox(t, &fake.Engine{RemoveErr: refused})
	for range 2 {
		assert.ErrorIs(t, box.Close(t.Context()), refused)
	}
	assert.Equal(t, container.Removed(), 1)
}
