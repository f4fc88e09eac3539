package gitdiff_test

import (
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime/workspace/internal/gittest"
)

// TestBinaryAsGit compares edited binary files with git, payload and all.
func TestBinaryAsGit(t *testing.T) {
	t.Parallel()
	needsZlib(t)
	base, result := gittest.Tree{}, gittest.Tree{}
	for i := range cases(t, 150) {
		r := gittest.NewRandom(uint64(i))
		p := fmt.Sprintf("f%05d", i)
		old := binaryContent(r)
		base[p] = gittest.File{Data: old}
		result[p] = gittest.File{Data: editBytes(r, old)}
		if i%4 == 0 {
			result["new"+p] = gittest.File{Data: binaryContent(r)}
		}
	}
	got, _ := diff(t, base, result)
	assertSame(t, got, gittest.Diff(t, base, result))
}

// TestLargeBinaryAsGit has contents for which windows slide, copies are split
// and the index drops blocks.
func TestLargeBinaryAsGit(t *testing.T) {
	t.Parallel()
	needsZlib(t)
	random := gittest.NewRandom(1)
	noise := randomBytes(random, 200_000, 256)
	repeatedOld, repeatedData := repeatedBlocks(random)
	for name, c := range map[string]struct{ old, data string }{
		"created":         {"", noise},
		"deleted":         {noise, ""},
		"grown":           {noise, noise + noise[:70_000]},
		"moved":           {noise, noise[100_000:] + noise[:100_000]},
		"zeros":           {strings.Repeat("\x00", 100_000), strings.Repeat("\x00", 300_001)},
		"repeated blocks": {repeatedOld, repeatedData},
		"good enough":     {noise[:4496] + strings.Repeat("\x00", 16) + noise[:8000], noise[:8000]},
		"shrunk to noise": {strings.Repeat("\x00ab", 90_000), noise[:30_000]},
		"four letters":    {"\x00", "\x00" + randomBytes(random, 400_000, 4)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, result := gittest.Tree{"keep": {}}, gittest.Tree{"keep": {}}
			if c.old != "" {
				base["f"] = gittest.File{Data: c.old}
			}
			if c.data != "" {
				result["f"] = gittest.File{Data: c.data}
			}
			got, _ := diff(t, base, result)
			assert.DeepEqual(t, gittest.Apply(t, base, got), result)
			assertSame(t, got, gittest.Diff(t, base, result))
		})
	}
}

// needsZlib skips when git compresses with another library than the one whose
// output is promised.
func needsZlib(t *testing.T) {
	t.Helper()
	if !gittest.OriginalZlib(t) {
		t.Skip("git was not built with the original zlib")
	}
}

func randomBytes(r *gittest.Random, n, span int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.IntN(span))
	}
	if n > 0 {
		b[0] = 0
	}
	return string(b)
}

// repeatedBlocks puts one block before each of many others, and then the same
// in another order with something new in between: the block has more places
// than the index keeps.
func repeatedBlocks(r *gittest.Random) (old, data string) {
	block := randomBytes(r, 32, 256)
	pieces := make([]string, 400)
	for i := range pieces {
		pieces[i] = block + randomBytes(r, 32, 256)
	}
	old = "\x00" + strings.Join(pieces, "")
	r.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
	for _, p := range pieces {
		data += randomBytes(r, 3, 256) + p
	}
	return old, data
}

// binaryContent is random bytes, few different ones, text or repetitions.
func binaryContent(r *gittest.Random) string {
	n := 1 + r.IntN([]int{3, 40, 40, 1000, 1000, 8000, 40000}[r.IntN(7)])
	switch r.IntN(4) {
	case 0:
		return "\x00" + r.Text(1+n/20)
	case 1:
		return "\x00" + strings.Repeat(randomBytes(r, 1+r.IntN(40), 256), 1+n/20)
	default:
		return randomBytes(r, n, []int{2, 20, 256}[r.IntN(3)])
	}
}

// editBytes moves, drops, doubles and replaces ranges.
func editBytes(r *gittest.Random, s string) string {
	for range 1 + r.IntN(6) {
		from := r.IntN(len(s) + 1)
		to := min(len(s), from+r.IntN(1+len(s)/3))
		at := r.IntN(len(s) + 1)
		switch r.IntN(5) {
		case 0:
			s = s[:from] + s[to:]
		case 1:
			s = s[:at] + s[from:to] + s[at:]
		case 2:
			s = s[:at] + randomBytes(r, r.IntN(100), 256) + s[at:]
		case 3:
			s = s[:from] + randomBytes(r, to-from, 256) + s[to:]
		case 4:
			s = s[from:] + s[:from]
		}
	}
	return "\x00" + s[:min(len(s), 200_000)]
}
