package sandboxtest

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// files: programs see the files that the host sees, every refusal says which it
// is, and nothing that a program does to files keeps the host waiting.
func files(t *testing.T, s suite) {
	box := s.box(t)
	ctx := t.Context()
	dir := s.policy.Workdir

	t.Run("what programs see", func(t *testing.T) {
		want := map[string]string{}
		for _, name := range names {
			want[name] = "content of " + name
			_, err := box.WriteFile(ctx, dir+"/names/"+name, []byte(want[name]), wire.WriteOptions{})
			assert.NilError(t, err, "%q", name)
		}
		assert.NilError(t, box.CopyIn(ctx, dir+"/copy", pack(t, want)))
		assert.Equal(t, say(t, box, "diff -r names copy && find . ! -user $(id -u)"), "")
	})

	t.Run("refusals", func(t *testing.T) {
		say(t, box, "mkdir d; mkfifo fifo; ln -s loop loop; echo x >ro; chmod 0 ro; mkdir closed; chmod 0 closed; echo y >y")
		for path, code := range map[string]string{
			"absent": wire.CodeNotFound, "d": wire.CodeIsDir, "y/below": wire.CodeNotDir, "loop": wire.CodeLoop, "ro": wire.CodePermission,
			"closed/x": wire.CodePermission, "fifo": wire.CodeNotRegular, "/dev/zero": wire.CodeNotRegular,
			strings.Repeat("n/", 3000): wire.CodeNameLong, "/proc/1/environ": wire.CodePermission,
		} {
			if path == "/proc/1/environ" && s.lacks(NoHiding) {
				continue
			}
			path = absolute(dir, path)
			began := time.Now()
			_, _, err := box.ReadFile(ctx, path, 100)
			assertCode(t, err, code)
			assert.Assert(t, time.Since(began) < patience)
		}
		for path, code := range map[string]string{
			"d": wire.CodeIsDir, "ro": wire.CodePermission, "fifo": wire.CodeNotRegular, "y/below": wire.CodeNotDir,
			"closed/x": wire.CodePermission, "/etc/passwd": wire.CodePermission, "/new": wire.CodePermission, "/dev/null": wire.CodeNotRegular,
		} {
			_, err := box.WriteFile(ctx, absolute(dir, path), []byte("no"), wire.WriteOptions{})
			assertCode(t, err, code)
		}
		_, _, err := box.ReadFile(ctx, "relative", 10)
		assertCode(t, err, wire.CodeInvalid)
		_, err = box.List(ctx, dir+"/y", 1, 10)
		assertCode(t, err, wire.CodeNotDir)
	})

	t.Run("a bounded read", func(t *testing.T) {
		say(t, box, "truncate -s 3G sparse")
		got, info, err := box.ReadFile(ctx, dir+"/sparse", 10)
		assert.NilError(t, err)
		assert.Equal(t, len(got), 10)
		assert.Assert(t, info.Truncated && info.Size == 3<<30, "%+v", info)
		say(t, box, "rm sparse")
	})
}

func absolute(dir, path string) string {
	if strings.HasPrefix(path, "/") {
		return path
	}
	return dir + "/" + path
}

func assertCode(t *testing.T, err error, code string) {
	t.Helper()
	var call *sandbox.CallError
	assert.Assert(t, errors.As(err, &call), "want %s, got %v", code, err)
	assert.Equal(t, call.Code, code, "%v", err)
}

// pack makes a tar of regular files.
func pack(t *testing.T, content map[string]string) io.Reader {
	t.Helper()
	var entries []entry
	for name, text := range content {
		entries = append(entries, entry{tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644}, text})
	}
	return packEntries(t, entries)
}

type entry struct {
	header  tar.Header
	content string
}

func packEntries(t *testing.T, entries []entry) io.Reader {
	t.Helper()
	var buf bytes.Buffer
	tw := tar.NewWriter(&buf)
	for _, e := range entries {
		e.header.Size, e.header.Format = int64(len(e.content)), tar.FormatGNU
		assert.NilError(t, tw.WriteHeader(&e.header))
		_, err := io.WriteString(tw, e.content)
		assert.NilError(t, err)
	}
	assert.NilError(t, tw.Close())
	return &buf
}

// walked is the files below a directory, as a walk shows them, with the content
// whose hash it gives.
func walked(t *testing.T, box *sandbox.Sandbox, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := box.Walk(t.Context(), dir, func(e wire.WalkEntry) error {
		if e.Kind != "f" {
			return nil
		}
		data, _, err := box.ReadFile(t.Context(), dir+"/"+string(e.Path), 1<<20)
		sum := sha256.Sum256(data)
		assert.DeepEqual(t, e.Sum, sum[:])
		got[string(e.Path)] = string(data)
		return err
	})
	assert.NilError(t, err)
	return got
}

func copiedOut(t *testing.T, box *sandbox.Sandbox, dir string, paths ...string) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := box.CopyOut(context.WithoutCancel(t.Context()), dir, paths, func(h *tar.Header, content io.Reader) error {
		if h.Typeflag != tar.TypeReg {
			return nil
		}
		data, err := io.ReadAll(content)
		got[h.Name] = string(data)
		return err
	})
	assert.NilError(t, err)
	return got
}
