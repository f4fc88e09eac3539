package sandboxtest

import (
	"crypto/sha256"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// names are file names that careless programs trip over.
var names = []string{
	"plain", "with space", "-rf", "new\nline", "tab\t", "quote'\"`$(id)", "back\\slash", "*?[x]", "\xff\xfe\x80",
	"caf\u00e9", "cafe\u0301", "%2e%2e%2f", "semi;colon&and", "\x01\x1b[31m", ".hidden", "..dots", strings.Repeat("n", 240),
}

// contents: reading, writing, listing and copying keep names and contents byte
// for byte, and writes happen only under their conditions.
func contents(t *testing.T, s suite) {
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
	})
	t.Run("sizes", func(t *testing.T) {
		for _, size := range []int{0, 1, 4095, 4096, 1<<20 + 1, 5 << 20} {
			content := strings.Repeat("\x00\xffx", size/3+1)[:size]
			_, err := box.WriteFile(ctx, dir+"/sized", []byte(content), wire.WriteOptions{})
			assert.NilError(t, err)
			got, info, err := box.ReadFile(ctx, dir+"/sized", wire.MaxFile)
			assert.NilError(t, err)
			assert.Assert(t, string(got) == content && info.Size == int64(size) && !info.Truncated, "%d bytes, %+v", len(got), info)
		}
		got, info, err := box.ReadFile(ctx, dir+"/sized", 10)
		assert.NilError(t, err)
		assert.Assert(t, len(got) == 10 && info.Truncated, "%d bytes, %+v", len(got), info)
	})
	t.Run("a listing", func(t *testing.T) {
		for _, name := range []string{"b", "sub/c", "sub/deep/d", ".hidden"} {
			_, err := box.WriteFile(ctx, dir+"/list/"+name, []byte("12345"), wire.WriteOptions{})
			assert.NilError(t, err)
		}
		list, err := box.List(ctx, dir+"/list", 2, 100)
		assert.NilError(t, err)
		var seen []string
		for _, e := range list.Entries {
			seen = append(seen, string(e.Path))
			assert.Assert(t, e.IsDir || e.Size == 5, "%+v", e)
		}
		assert.DeepEqual(t, seen, []string{"b", "sub", "sub/c", "sub/deep"})
		list, err = box.List(ctx, dir+"/list", 9, 2)
		assert.NilError(t, err)
		assert.Assert(t, len(list.Entries) == 2 && list.Truncated)
	})
	t.Run("conditional writes", func(t *testing.T) { conditionalWrites(t, box, dir+"/cond") })
	t.Run("plain refusals", func(t *testing.T) {
		for path, code := range map[string]string{
			dir + "/absent": wire.CodeNotFound, dir: wire.CodeIsDir, dir + "/sized/below": wire.CodeNotDir, "relative": wire.CodeInvalid,
		} {
			_, _, err := box.ReadFile(ctx, path, 10)
			assertCode(t, err, code)
		}
		_, err := box.List(ctx, dir+"/sized", 1, 10)
		assertCode(t, err, wire.CodeNotDir)
	})
}

func conditionalWrites(t *testing.T, box *sandbox.Sandbox, path string) {
	ctx := t.Context()
	_, err := box.WriteFile(ctx, path, []byte("one"), wire.WriteOptions{New: true, Mode: 0o750})
	assert.NilError(t, err)
	_, err = box.WriteFile(ctx, path, []byte("two"), wire.WriteOptions{New: true})
	assertCode(t, err, wire.CodeExists)
	old := sha256.Sum256([]byte("something else"))
	_, err = box.WriteFile(ctx, path, []byte("two"), wire.WriteOptions{Expect: old[:]})
	assertCode(t, err, wire.CodeChanged)
	assertCode(t, box.RemoveFile(ctx, path, wire.WriteOptions{Expect: old[:]}), wire.CodeChanged)
	sum := sha256.Sum256([]byte("one"))
	_, err = box.WriteFile(ctx, path, []byte("two"), wire.WriteOptions{Expect: sum[:]})
	assert.NilError(t, err)
	got, info, err := box.ReadFile(ctx, path, 100)
	assert.NilError(t, err)
	assert.Equal(t, string(got), "two")
	assert.Equal(t, info.Mode, uint32(0o750), "the mode stays")
	assert.NilError(t, box.RemoveFile(ctx, path, wire.WriteOptions{}))
	assertCode(t, box.RemoveFile(ctx, path, wire.WriteOptions{}), wire.CodeNotFound)
	_, err = box.WriteFile(ctx, path, []byte("three"), wire.WriteOptions{Expect: sum[:]})
	assertCode(t, err, wire.CodeChanged)
}
