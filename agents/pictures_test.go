package agents

import (
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime/llm"
	"drydock/runtime/memory"
)

// However much a sandbox draws, a conversation holds the newest images only.
func TestConversationHoldsTheNewestImages(t *testing.T) {
	t.Parallel()
	a := &Agent{memory: memory.New("system", "task")}
	figure := func(name byte) llm.Image {
		data := make([]byte, 4<<20)
		data[0] = name
		return llm.Image{MIME: "image/png", Data: data}
	}
	names := func() []byte {
		var list []byte
		for _, m := range a.memory.Messages() {
			assert.Assert(t, m.Text != "")
			for _, img := range m.Images {
				list = append(list, img.Data[0])
			}
		}
		return list
	}
	a.show(nil)
	assert.Equal(t, len(a.memory.Messages()), 2)
	for name := range byte(20) {
		a.memory.Add(llm.Message{Role: llm.RoleAssistant, Text: "look"})
		a.show([]llm.Image{figure(name), figure(name)})
		_, err := a.memory.Fit(t.Context())
		assert.NilError(t, err)
		assert.Assert(t, len(names()) <= 8)
		assert.Equal(t, names()[len(names())-1], name)
	}

	var many []llm.Image
	for name := range byte(40) {
		many = append(many, figure(name))
	}
	a.memory.Add(llm.Message{Role: llm.RoleAssistant, Text: "look"})
	a.show(many)
	trim, err := a.memory.Fit(t.Context())
	assert.NilError(t, err)
	assert.Assert(t, trim.Images > 0)
	assert.DeepEqual(t, names(), []byte{32, 33, 34, 35, 36, 37, 38, 39})
}
