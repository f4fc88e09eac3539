package sandbox

import (
	"archive/tar"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox/wire"
)

// rawGuest greets, and answers every later request with bytes that need be no
// answer. A connection is closed after its bytes.
func rawGuest(say func(io.Writer)) func(net.Conn) {
	return func(conn net.Conn) {
		session, err := wire.GuestSession(conn)
		if err != nil {
			return
		}
		for {
			stream, err := session.Accept()
			if err != nil {
				return
			}
			go answerRaw(stream, say)
		}
	}
}

func answerRaw(stream net.Conn, say func(io.Writer)) {
	defer func() { _ = stream.Close() }()
	req, err := http.ReadRequest(bufio.NewReader(stream))
	if err != nil {
		return
	}
	go func() { _, _ = io.Copy(io.Discard, req.Body) }()
	if req.URL.Path == wire.PathHello {
		const hello = `{"version": %d, "shell": "/bin/sh", "shell_is": "sh"}`
		text := fmt.Sprintf(hello, wire.Version)
		_, _ = fmt.Fprintf(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
		return
	}
	say(stream)
}

// everything uses a sandbox in all ways there are, for the errors that come.
func everything(ctx context.Context, box *Sandbox) []error {
	var errs []error
	note := func(err error) { errs = append(errs, err) }
	_, err := box.Stats(ctx)
	note(err)
	_, err = box.Shell(ctx, "x", time.Second, false)
	note(err)
	note(box.Quiesce(ctx))
	_, _, err = box.ReadFile(ctx, "/x", 1<<10)
	note(err)
	_, err = box.WriteFile(ctx, "/x", []byte("x"), wire.WriteOptions{})
	note(err)
	note(box.RemoveFile(ctx, "/x", wire.WriteOptions{}))
	_, err = box.List(ctx, "/", 2, 10)
	note(err)
	note(box.CopyIn(ctx, "/", strings.NewReader("x")))
	note(box.Walk(ctx, "/", func(wire.WalkEntry) error { return nil }))
	note(box.CopyOut(ctx, "/", []string{"a", "b"}, func(_ *tar.Header, r io.Reader) error {
		_, err := io.CopyN(io.Discard, r, 1<<20)
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}))
	return errs
}

// allocated is how many bytes this process has ever allocated.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// endless writes a start and then the same again and again.
func endless(start, again string) func(io.Writer) {
	return func(w io.Writer) {
		_, err := io.WriteString(w, start)
		for err == nil {
			_, err = io.WriteString(w, again)
		}
	}
}

// Answers without end are ended, soon and with little memory, as a lost sandbox
// and not as a result.
func TestAnswersWithoutEnd(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	kilo := strings.Repeat("x", 1<<10)
	for name, row := range map[string]struct {
		say func(io.Writer)
		use func(*Sandbox) error
	}{
		"interim answers": {endless("", "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"), stats},
		"headers":         {endless(ok, "X-"+kilo+": y\r\n"), stats},
		"a header":        {endless(ok+"X: ", kilo), stats},
		"a status line":   {endless("HTTP/1.1 200 ", kilo), stats},
		"a body":          {endless(ok+"\r\n", kilo), stats},
		"spaces":          {endless(ok+"\r\n{}", strings.Repeat(" ", 1<<10)), stats},
		"chunks":          {endless(ok+"Transfer-Encoding: chunked\r\n\r\n", "400\r\n"+kilo+"\r\n"), stats},
		"tiny chunks":     {endless(ok+"Transfer-Encoding: chunked\r\n\r\n", "1;"+kilo+"\r\n \r\n"), stats},
		"a trailer":       {endless(ok+"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n", "X: "+kilo+"\r\n"), stats},
		"values":          {endless(ok+"\r\n{\"entries\": [", strings.Repeat("{},", 300)), list},
		"a refusal":       {endless("HTTP/1.1 422 No\r\n\r\n", kilo), stats},
		"a file":          {endless(ok+wire.InfoHeader+": {\"path\": \"L3g=\"}\r\n\r\n", kilo), read},
		"a walk's line":   {endless(ok+"\r\n", kilo), walk},
		"an archive":      {endless(ok+"\r\n", kilo), copyOut},
	} {
		t.Run(name, func(t *testing.T) {
			box := boxWith(t, rawGuest(row.say))
			before, began := allocated(), time.Now()
			err := row.use(box)
			var lost *LostError
			assert.Assert(t, errors.As(err, &lost), "%v", err)
			assert.Assert(t, len(err.Error()) < 2*maxErrorText)
			assert.Assert(t, time.Since(began) < 10*time.Second)
			// A listing may be long, and reading it all costs a few times that.
			assert.Assert(t, allocated()-before < 8*maxListAnswer, "%d bytes", allocated()-before)
		})
	}
}

func stats(b *Sandbox) error { _, err := b.Stats(context.Background()); return err }
func list(b *Sandbox) error  { _, err := b.List(context.Background(), "/", 1, 10); return err }
func read(b *Sandbox) error  { _, _, err := b.ReadFile(context.Background(), "/x", 100); return err }

func walk(b *Sandbox) error {
	return b.Walk(context.Background(), "/", func(wire.WalkEntry) error { return nil })
}
func copyOut(b *Sandbox) error { return b.CopyOut(context.Background(), "/", []string{"a"}, nil) }

// A guest that drips its answer is given up when the caller's patience ends.
func TestAnswerThatDrips(t *testing.T) {
	box := boxWith(t, rawGuest(func(w io.Writer) {
		_, err := io.WriteString(w, "HTTP/1.1 200 OK\r\n\r\n")
		for ; err == nil; time.Sleep(10 * time.Millisecond) {
			_, err = io.WriteString(w, " ")
		}
	}))
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	for _, err := range everything(ctx, box) {
		assert.Assert(t, errors.Is(err, context.DeadlineExceeded), "%v", err)
	}
	assert.Assert(t, time.Since(began) < 10*time.Second)
}

// An archive with more in it than was asked for is none of ours.
func TestArchiveOfMore(t *testing.T) {
	box := boxWith(t, guestOf(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		tw := tar.NewWriter(w)
		for {
			if tw.WriteHeader(&tar.Header{Name: "a", Typeflag: tar.TypeReg}) != nil {
				return
			}
		}
	})))
	seen := 0
	err := box.CopyOut(t.Context(), "/", []string{"a", "b"}, func(*tar.Header, io.Reader) error { seen++; return nil })
	assert.ErrorContains(t, err, "more than the 2 entries")
	assert.Equal(t, seen, 2)
	assert.Assert(t, errors.As(err, new(*LostError)))
}

// What goes wrong on the host is no fault of the sandbox.
func TestVisitorThatFails(t *testing.T) {
	box := boxWith(t, guestOf(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		tw := tar.NewWriter(w)
		_ = tw.WriteHeader(&tar.Header{Name: "a", Typeflag: tar.TypeReg, Size: 100})
	})))
	full := errors.New("disk full")
	err := box.CopyOut(t.Context(), "/", []string{"a"}, func(*tar.Header, io.Reader) error { return full })
	assert.Equal(t, err, full)
	err = box.CopyOut(t.Context(), "/", []string{"a"}, func(_ *tar.Header, r io.Reader) error {
		_, err := io.ReadAll(r)
		return err
	})
	assert.Assert(t, errors.As(err, new(*LostError)), "%v", err)
}

// Whatever bytes a guest answers with, every call comes back, with an error or a
// checked answer, and costs little beyond the bytes.
func FuzzGuestAnswers(f *testing.F) {
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := allocated()
		box := boxWith(t, rawGuest(func(w io.Writer) { _, _ = w.Write(raw) }))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		for _, err := range everything(ctx, box) {
			if err != nil {
				assert.Assert(t, !errors.Is(err, context.DeadlineExceeded), "it hangs")
				assert.Assert(t, plain(err.Error(), 2*wire.MaxMessage), "%q", err)
			}
		}
		assert.NilError(t, box.Close(context.Background()))
		const calls, most = 12, 1 << 20 // an idle call takes about 100 KiB of buffers
		assert.Assert(t, allocated()-before < calls*(most+20*uint64(len(raw))), "%d bytes for %d", allocated()-before, len(raw))
	})
}

// FuzzWalkEntries reads any bytes as the lines of a walk: what comes through is
// a path that leads down.
func FuzzWalkEntries(f *testing.F) {
	f.Fuzz(func(t *testing.T, raw []byte) {
		for line := range strings.Lines(string(raw)) {
			e, err := readWalkEntry([]byte(line))
			if err != nil {
				continue
			}
			full := "/top/" + string(e.Path)
			assert.Equal(t, path.Clean(full), full)
			assert.Assert(t, strings.HasPrefix(full, "/top/") && len(e.Path) < wire.MaxWalkPath && !strings.Contains(full, "\x00"))
			assert.Assert(t, strings.Contains("fdlo", e.Kind) && len(e.Kind) == 1 && e.Mode <= 0o777 && e.Size >= 0)
			assert.Assert(t, plain(e.Err, wire.MaxMessage))
		}
	})
}
