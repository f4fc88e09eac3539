package zlib1_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime/workspace/gitdiff/zlib1"
	"drydock/runtime/workspace/internal/gittest"
)

// TestSmallStreams knows what zlib's compress2 makes at level 1.
func TestSmallStreams(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"":                             "7801030000000001",
		"a":                            "78014b040000620062",
		strings.Repeat("\x00", 10):     "78016360800100000a0001",
		"\x00\x01\x02\x80\x90\xa0\xff": "78016360646a98b0e03f00060602b3",
	} {
		assert.Equal(t, fmt.Sprintf("%x", zlib1.Compress([]byte(content))), want)
	}
}

// TestAsGit compares with the payloads of git's binary patches.
func TestAsGit(t *testing.T) {
	t.Parallel()
	if !gittest.OriginalZlib(t) {
		t.Skip("git was not built with the original zlib")
	}
	contents := samples()
	tree := gittest.Tree{"keep": {}}
	for i, c := range contents {
		tree[fmt.Sprintf("f%03d", i)] = gittest.File{Data: c}
	}
	got := payloads(t, gittest.Diff(t, gittest.Tree{"keep": {}}, tree))
	assert.Equal(t, len(got), len(contents))
	for i, c := range contents {
		assert.Assert(t, bytes.Equal(zlib1.Compress([]byte(c)), got[i]), "sample %d, %d bytes", i, len(c))
	}
}

// samples are contents around the sizes at which something changes: a block is
// full, the window slides, the end of the data is in sight.
func samples() []string {
	r := gittest.NewRandom(1)
	var list []string
	for _, n := range []int{1, 2, 3, 5, 9, 40, 200, 262, 3000, 16_383, 16_384, 32_507, 32_768, 65_275, 65_536, 98_305, 250_000} {
		list = append(list, letters(r, n, 256), letters(r, n, 5), skewed(r, n), copies(r, n, 5), copies(r, n, 400))
	}
	for n := range 100 { // where both kinds of codes cost about the same
		list = append(list, copies(r, 20+n, 5), letters(r, 20+n, 35))
	}
	// A match that only just is in reach, with and without data after it that
	// keeps the window from moving.
	noise := letters(r, 32_800, 256)
	again := noise + letters(r, 65_274-len(noise), 2) + noise[32_768:]
	list = append(list, again, again+noise[:300])
	return append(list, farCopies(r, 150_000), letters(r, 1_000_000, 2))
}

// letters begins with a NUL, like the other samples, for git to see no text.
func letters(r *gittest.Random, n, span int) string {
	b := make([]byte, n)
	for i := range b[1:] {
		b[i+1] = byte(r.IntN(span))
	}
	return string(b)
}

// skewed has every byte half as often as the one before, which makes for codes
// that are too long.
func skewed(r *gittest.Random, n int) string {
	b := make([]byte, n)
	for i := range b[1:] {
		for r.IntN(2) == 0 {
			b[i+1] += 7
		}
	}
	return string(b)
}

// copies repeats earlier ranges shorter than longest.
func copies(r *gittest.Random, n, longest int) string {
	b := []byte{0}
	for len(b) < n {
		b = append(b, byte(r.Uint32()))
		from := r.IntN(len(b))
		b = append(b, b[from:min(len(b), from+r.IntN(longest))]...)
	}
	return string(b[:n])
}

// farCopies repeats triples from about as far away as a match can reach.
func farCopies(r *gittest.Random, n int) string {
	b := []byte(letters(r, 33_000, 256))
	for len(b) < n {
		from := len(b) - 32_400 - r.IntN(200)
		b = append(append(b, b[from:from+3]...), byte(r.Uint32()))
	}
	return string(b)
}

// payloads decodes the first payload of every binary patch.
func payloads(t *testing.T, patch []byte) (found [][]byte) {
	t.Helper()
	for _, file := range bytes.Split(patch, []byte("GIT binary patch\nliteral "))[1:] {
		var payload []byte
		for _, line := range strings.Split(string(file), "\n")[1:] {
			if line == "" {
				break
			}
			payload = append(payload, decodeLine(line)...)
		}
		found = append(found, payload)
	}
	return found
}

func decodeLine(line string) (out []byte) {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
	n := int(line[0] - 'A' + 1)
	if line[0] >= 'a' {
		n = int(line[0] - 'a' + 27)
	}
	for group := line[1:]; group != ""; group = group[5:] {
		v := uint32(0)
		for _, c := range group[:5] {
			v = v*85 + uint32(strings.IndexRune(digits, c))
		}
		out = append(out, byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
	}
	return out[:n]
}

// FuzzCompress checks that any content can be read back.
func FuzzCompress(f *testing.F) {
	r := gittest.NewRandom(2)
	f.Add([]byte(nil), 1)
	f.Add([]byte("abcabcabd"), 20_000)
	f.Add([]byte(skewed(r, 3000)), 30)
	f.Add([]byte(copies(r, 5000, 300)), 15)
	f.Fuzz(func(t *testing.T, p []byte, times int) {
		p = bytes.Repeat(p, min(max(times, 1), 1+70_000/(len(p)+1)))
		z, err := zlib.NewReader(bytes.NewReader(zlib1.Compress(p)))
		assert.NilError(t, err)
		back, err := io.ReadAll(z)
		assert.NilError(t, err)
		assert.Assert(t, bytes.Equal(back, p))
	})
}
