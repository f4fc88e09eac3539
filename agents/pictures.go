package agents

import (
	"drydock/runtime/llm"
	"drydock/runtime/memory"
	"drydock/tools"
)

func pictures(r tools.Result) []llm.Image {
	var out []llm.Image
	for _, img := range r.Images {
		out = append(out, llm.Image{MIME: img.MIME, Data: img.Data})
	}
	return out
}

// show adds a turn's images to the conversation: the newest, because code in a
// sandbox can draw any number.
func (a *Agent) show(images []llm.Image) {
	if len(images) == 0 {
		return
	}
	text, left := "The images of the tool results above.", memory.MaxPictures
	for i := len(images) - 1; i >= 0; i-- {
		if left -= len(images[i].Data); left < 0 {
			images, text = images[i+1:], "The last images of the tool results above; there is no room for the others."
			break
		}
	}
	a.memory.Add(llm.Message{Role: llm.RoleUser, Text: text, Images: images})
}
