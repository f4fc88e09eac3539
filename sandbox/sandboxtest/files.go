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

// names are file names that careless programs trip over.
var names = []string{
	"plain", "with space", "-rf", "new\nline", "tab\t", "quote'\"`$(id)", "back\\slash", "*?[x]", "\xff\xfe\x80",
	"caf\u00e9", "cafe\u0301", "%2e%2e%2f", "semi;colon&and", "\x01\x1b[31m", ".hidden", "..dots", strings.Repeat("n", 240),
}

// files: reading, writing and copying keep names and contents byte for byte,
// and every refusal says which it is.
func files(t *testing.T, s suite) {
	box := s.box(t)
	ctx := t.Context()
	dir := s.policy.Workdir

	t.Run("names and contents", func(t *testing.T) {
		want := map[string]string{}
		for _, name := range names {
			content := "content of " + name + "\x00\xff\r\n"
			_, err := box.WriteFile(ctx, dir+"/names/"+name, []byte(content), wire.WriteOptions{})
			assert.NilError(t, err, "%q", name)
			got, info, err := box.ReadFile(ctx, dir+"/names/"+name, 1<<20)
			assert.NilError(t, err, "%q", name)
			assert.Equal(t, string(got), content)
			assert.Equal(t, string(info.Path), dir+"/names/"+name)
			want[name] = content
		}
		assert.DeepEqual(t, walked(t, box, dir+"/names"), want)
		assert.DeepEqual(t, copiedOut(t, box, dir+"/names", names...), want)
		assert.NilError(t, box.CopyIn(ctx, dir+"/copy", pack(t, want)))
		assert.DeepEqual(t, walked(t, box, dir+"/copy"), want)
		assert.Equal(t, say(t, box, "diff -r names copy && find . ! -user $(id -u)"), "")
	})

	t.Run("refusals", func(t *testing.T) {
		say(t, box, "mkdir d; mkfifo fifo; ln -s loop loop; echo x >ro; chmod 0 ro; mkdir closed; chmod 0 closed; echo y >y")
		for path, code := range map[string]string{
			"absent": wire.CodeNotFound, "d": wire.CodeIsDir, "y/below": wire.CodeNotDir, "loop": wire.CodeLoop, "ro": wire.CodePermission,
			"closed/x": wire.CodePermission, "fifo": wire.CodeNotRegular, "/dev/zero": wire.CodeNotRegular,
			strings.Repeat("n/", 3000): wire.CodeNameLong, "/proc/1/environ": wire.CodePermission,
		} {
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

	t.Run("conditional writes", func(t *testing.T) {
		path := dir + "/cond"
		_, err := box.WriteFile(ctx, path, []byte("one"), wire.WriteOptions{New: true, Mode: 0o750})
		assert.NilError(t, err)
		assert.Equal(t, say(t, box, "stat -c %a cond"), "750")
		_, err = box.WriteFile(ctx, path, []byte("two"), wire.WriteOptions{New: true})
		assertCode(t, err, wire.CodeExists)
		old := sha256.Sum256([]byte("something else"))
		_, err = box.WriteFile(ctx, path, []byte("two"), wire.WriteOptions{Expect: old[:]})
		assertCode(t, err, wire.CodeChanged)
		assertCode(t, box.RemoveFile(ctx, path, wire.WriteOptions{Expect: old[:]}), wire.CodeChanged)
		sum := sha256.Sum256([]byte("one"))
		_, err = box.WriteFile(ctx, path, []byte("two"), wire.WriteOptions{Expect: sum[:]})
		assert.NilError(t, err)
		assert.Equal(t, say(t, box, "cat cond; stat -c ' %a' cond"), "two 750") // the mode stays
		assert.NilError(t, box.RemoveFile(ctx, path, wire.WriteOptions{}))
		assertCode(t, box.RemoveFile(ctx, path, wire.WriteOptions{}), wire.CodeNotFound)
	})

	t.Run("a bounded read", func(t *testing.T) {
		say(t, box, "truncate -s 3G sparse")
		got, info, err := box.ReadFile(ctx, dir+"/sparse", 10)
		assert.NilError(t, err)
		assert.Equal(t, len(got), 10)
		assert.Assert(t, info.Truncated && info.Size == 3<<30, "%+v", info)
		say(t, box, "rm sparse")
	})

	t.Run("the worker may be killed or stopped", func(t *testing.T) {
		for _, signal := range []string{"KILL", "STOP", "INT"} {
			shell(t, box, "kill -"+signal+" -1", time.Second)
			_, err := box.List(ctx, dir, 1, 10)
			assert.NilError(t, err, signal)
			_, err = box.WriteFile(ctx, dir+"/after", []byte(signal), wire.WriteOptions{})
			assert.NilError(t, err, signal)
		}
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
