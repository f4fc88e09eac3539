package memory_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"math"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime/llm"
	"drydock/runtime/memory"
)

func tokensOf(msg llm.Message) int {
	m := memory.New("", "")
	before := m.Tokens()
	m.Add(msg)
	return m.Tokens() - before
}

// The bounds hold the counts that tokenizers of several vendors give.
func TestEstimatesAreNearWhatTokenizersCount(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]int{
		"":                                     {0, 8},
		"The quick brown fox jumps over a dog": {9, 18},
		"for i := range len(list) { n += list[i].size() }": {14, 24},
		"敏捷的棕色狐狸跳过了懒狗":                                     {8, 28},
		"😀😀😀😀":                                             {4, 16},
		strings.Repeat("word ", 1000):                      {1000, 1600},
	} {
		got := tokensOf(llm.Message{Role: llm.RoleAssistant, Text: text})
		assert.Assert(t, got >= want[0] && got <= want[1], "%.20q: %d", text, got)
	}
	with := tokensOf(llm.Message{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "a", Name: "bash", Arguments: strings.Repeat("x ", 500)}}})
	assert.Assert(t, with > 250, "%d", with)
}

func TestImagesCountByTheirSize(t *testing.T) {
	t.Parallel()
	encode := func(w, h int, jpg bool) []byte {
		var b bytes.Buffer
		if jpg {
			assert.NilError(t, jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, w, h)), nil))
		} else {
			assert.NilError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))))
		}
		return b.Bytes()
	}
	for name, c := range map[string]struct {
		data []byte
		want int
	}{
		"small":            {encode(100, 100, false), 255},
		"square":           {encode(1024, 1024, false), 765},
		"square JPEG":      {encode(1024, 1024, true), 765},
		"wide":             {encode(4096, 1024, false), 1445 - 2*340},
		"a line":           {encode(3000, 1, false), 85 + 4*170},
		"no image":         {[]byte("<svg/>"), 1445},
		"nothing":          {nil, 1445},
		"half a header":    {encode(100, 100, false)[:20], 1445},
		"a header's width": {hugePNG(), 1445},
	} {
		with := llm.Message{Role: llm.RoleUser, Images: []llm.Image{{MIME: "image/png", Data: c.data}}}
		got := tokensOf(with) - tokensOf(llm.Message{Role: llm.RoleUser})
		assert.Equal(t, got, c.want, name)
	}
}

// hugePNG is a header that claims more pixels than there are.
func hugePNG() []byte {
	raw := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x7f\xff\xff\xff\x7f\xff\xff\xff\x08\x02\x00\x00\x00")
	return append(raw, 0, 0, 0, 0)
}

func TestTheServersCountCorrectsTheEstimate(t *testing.T) {
	t.Parallel()
	m := memory.New("system", page(1000))
	first := m.Tokens()
	m.Measure(llm.Usage{InputTokens: 2 * first})
	assert.Equal(t, m.Tokens(), 2*first)
	m.Measure(llm.Usage{InputTokens: first})
	assert.Equal(t, m.Tokens(), first)
	for _, nonsense := range []int{0, -1, math.MinInt, math.MaxInt, 100 * first} {
		m.Measure(llm.Usage{InputTokens: nonsense})
		assert.Equal(t, m.Tokens(), first)
	}
	m.Measure(llm.Usage{InputTokens: 1})
	assert.Assert(t, m.Tokens() > first/3, "a count this small is not believed")
}
