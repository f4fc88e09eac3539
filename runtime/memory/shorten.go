package memory

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"drydock/runtime/llm"
)

// What becomes of old observations: those above the first size are cut to about
// the second, in bytes.
const (
	largeObservation = 1500
	shortObservation = 600
)

// gonePictures stands where images were.
const gonePictures = "The images that were here are no longer kept; view or draw again what you need."

// shorten cuts old large observations, the oldest first, until a request has no
// more than target tokens.
func (m *Memory) shorten(old []turn, target int, t *Trim) {
	for _, turn := range old {
		for i := range turn {
			if m.Tokens() <= target {
				return
			}
			if e := &turn[i]; e.Role == llm.RoleTool && len(e.Text) > largeObservation {
				m.change(e, cut(e.Text, shortObservation))
				t.Shortened++
			}
		}
	}
}

// forgetPictures takes the images out of turns, the oldest first, until a request
// has no more than target tokens.
func (m *Memory) forgetPictures(old []turn, target int, t *Trim) {
	for _, turn := range old {
		for i := range turn {
			if m.Tokens() <= target {
				return
			}
			m.forget(&turn[i], t)
		}
	}
}

// dropPictures halves the images where they are too many bytes.
func (m *Memory) dropPictures(t *Trim) {
	if m.pictures <= MaxPictures {
		return
	}
	for _, turn := range m.turns[:len(m.turns)-1] {
		for i := range turn {
			if m.pictures > MaxPictures/2 {
				m.forget(&turn[i], t)
			}
		}
	}
}

func (m *Memory) forget(e *entry, t *Trim) {
	if len(e.Images) == 0 {
		return
	}
	t.Images += len(e.Images)
	m.pictures -= pictureBytes(e.Message)
	e.Images = nil
	m.change(e, gonePictures)
}

// squeeze cuts what is left, step by step, until it fits: more and more of each
// result, then images, then what the model itself wrote.
func (m *Memory) squeeze(limit int, t *Trim) {
	before := map[*entry]int{}
	for _, turn := range m.turns {
		for i := range turn {
			before[&turn[i]] = turn[i].size
		}
	}
	m.squeezeTexts(limit, llm.RoleTool, 16<<10, 8<<10, 4<<10, 2<<10, 1<<10)
	m.forgetPictures(m.turns, limit, t)
	m.squeezeTexts(limit, llm.RoleTool, 500, 200, 0)
	m.squeezeTexts(limit, llm.RoleUser, 1<<10, 200)
	m.squeezeTexts(limit, llm.RoleAssistant, 4<<10, 1<<10, 200)
	m.squeezeArguments(limit, 4<<10, 1<<10, 200, 0)
	for e, size := range before {
		if e.size < size {
			t.Shortened++
		}
	}
}

// squeezeTexts cuts every text of a role to fewer and fewer bytes.
func (m *Memory) squeezeTexts(limit int, role llm.Role, sizes ...int) {
	for _, size := range sizes {
		for _, turn := range m.turns {
			for i := range turn {
				if m.Tokens() <= limit {
					return
				}
				if e := &turn[i]; e.Role == role && len(e.Text) > size+len(omission) {
					m.change(e, cut(e.Text, size))
				}
			}
		}
	}
}

// squeezeArguments replaces long arguments by an object with their beginning.
func (m *Memory) squeezeArguments(limit int, sizes ...int) {
	for _, size := range sizes {
		for _, turn := range m.turns {
			for i := range turn {
				if m.Tokens() > limit {
					m.cutArguments(&turn[i], size)
				}
			}
		}
	}
}

func (m *Memory) cutArguments(e *entry, size int) {
	calls := append([]llm.ToolCall(nil), e.ToolCalls...) // the answer's own are in the hands of others
	for i, c := range calls {
		if len(c.Arguments) <= size+len(omission) {
			continue
		}
		raw, err := json.Marshal(map[string]string{"shortened": cut(c.Arguments, size)})
		if err == nil && len(raw) < len(c.Arguments) {
			calls[i].Arguments = string(raw)
		}
	}
	e.ToolCalls = calls
	m.change(e, e.Text)
}

// change gives an entry another text and counts it anew.
func (m *Memory) change(e *entry, text string) {
	m.size -= e.size
	e.Text = text
	e.size = messageTokens(e.Message)
	m.size += e.size
}

const omission = "\n[… shortened to save space …]\n"

// cut leaves about size bytes of a text, two thirds of them from its start.
func cut(text string, size int) string {
	if len(text) <= size+len(omission) {
		return text
	}
	head := size * 2 / 3
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	tail := len(text) - (size - size*2/3)
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return strings.TrimLeft(text[:head]+omission+text[tail:], "\n")
}
