package agents

import (
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime/llm"
)

// However much a sandbox draws, a conversation holds the newest images only.
func TestConversationHoldsTheNewestImages(t *testing.T) {
	a := &Agent{memory: []llm.Message{{Role: llm.RoleSystem, Text: "system"}}}
	figure := func(name byte) llm.Image {
		data := make([]byte, 4<<20)
		data[0] = name
		return llm.Image{MIME: "image/png", Data: data}
	}
	a.show(nil)
	assert.Equal(t, len(a.memory), 1)
	for name := range byte(20) {
		a.show([]llm.Image{figure(name), figure(name)})
	}
	var names []byte
	for _, m := range a.memory[1:] {
		assert.Assert(t, m.Text != "" && m.Role == llm.RoleUser)
		assert.Equal(t, m.Text == forgotten, len(m.Images) == 0)
		for _, img := range m.Images {
			names = append(names, img.Data[0])
		}
	}
	assert.DeepEqual(t, names, []byte{16, 16, 17, 17, 18, 18, 19, 19})

	var many []llm.Image
	for name := range byte(40) {
		many = append(many, figure(name))
	}
	a.show(many)
	last := a.memory[len(a.memory)-1]
	assert.Equal(t, len(last.Images), 8)
	assert.Equal(t, last.Images[7].Data[0], byte(39))
	assert.Assert(t, last.Text != forgotten)
}
