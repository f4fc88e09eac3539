package sandboxtest

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
)

// outputs: what is kept of an output is bounded, exact, and says what is
// missing; the model can read the rest.
func outputs(t *testing.T, s suite) {
	box := s.box(t, func(p *sandbox.Policy) { p.HeadBytes, p.TailBytes, p.LogBytes = 1000, 500, 4<<20 })

	t.Run("any bytes", func(t *testing.T) {
		res := shell(t, box, `printf '\0\001\377\376a\r\n\033[31m'`, 0)
		assert.Equal(t, text(res), "\x00\x01\xff\xfea\r\n\x1b[31m")
	})
	t.Run("just fits", func(t *testing.T) {
		res := shell(t, box, "head -c 1500 /dev/zero | tr '\\0' x", 0)
		assert.Equal(t, text(res), strings.Repeat("x", 1500))
		assert.Equal(t, res.Dropped, int64(0))
		assert.Equal(t, res.Log, "")
	})
	t.Run("head, tail and the whole in a file", func(t *testing.T) {
		res := shell(t, box, "seq 1 200000", 0)
		want := new(strings.Builder)
		for i := 1; i <= 200000; i++ {
			fmt.Fprintln(want, i)
		}
		all := want.String()
		assert.Equal(t, string(res.Head), all[:1000])
		assert.Equal(t, string(res.Tail), all[len(all)-500:])
		assert.Equal(t, res.Total, int64(len(all)))
		assert.Equal(t, res.Dropped, int64(len(all)-1500))
		got, _, err := box.ReadFile(t.Context(), res.Log, 8<<20)
		assert.NilError(t, err)
		assert.Assert(t, string(got) == all, "the file holds %d of %d bytes", len(got), len(all))
		assert.Equal(t, say(t, box, "md5sum <"+res.Log+"; seq 1 200000 | md5sum | tail -1"), say(t, box, "seq 1 200000 | md5sum; md5sum <"+res.Log))
		shell(t, box, "rm -f "+res.Log+" 2>/dev/null; echo x >>"+res.Log, 0)
		again, _, err := box.ReadFile(t.Context(), res.Log, 8<<20)
		assert.NilError(t, err)
		assert.Assert(t, string(again) == all, "a program changed what a call printed")
	})
	t.Run("the file is bounded", func(t *testing.T) {
		res := shell(t, box, "head -c 8M /dev/zero", 0)
		assert.Equal(t, res.Total, int64(8<<20))
		_, info, err := box.ReadFile(t.Context(), res.Log, 1)
		assert.NilError(t, err)
		assert.Equal(t, info.Size, int64(4<<20))
	})
	t.Run("never mixed", func(t *testing.T) {
		say(t, box, "(sleep 0.3; while echo late; do sleep 0.01; done) & echo now")
		for range 20 {
			assert.Equal(t, say(t, box, "sleep 0.03; echo mine"), "mine")
		}
	})
	t.Run("from both streams in order", func(t *testing.T) {
		want := new(strings.Builder)
		for i := range 100 {
			fmt.Fprintf(want, "o%d\ne%d\n", i, i)
		}
		got := say(t, box, "for ((i = 0; i < 100; i++)); do echo o$i; echo e$i >&2; done")
		assert.Equal(t, got+"\n", want.String())
	})
}
