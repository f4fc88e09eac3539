package agents

import (
	"drydock/runtime/llm"
	"drydock/tools"
)

// maxPictures bounds the images that a conversation holds, in bytes: code in a
// sandbox can draw tens of MiB in a call, and every request holds them all.
const maxPictures = 32 << 20

// forgotten stands where images were.
const forgotten = "The images that were here are no longer kept, because there are too many; view or draw again what you need."

func pictures(r tools.Result) []llm.Image {
	var out []llm.Image
	for _, img := range r.Images {
		out = append(out, llm.Image{MIME: img.MIME, Data: img.Data})
	}
	return out
}

// show adds a turn's images to the conversation. The newest are kept.
func (a *Agent) show(images []llm.Image) {
	if len(images) == 0 {
		return
	}
	text, left := "The images of the tool results above.", maxPictures
	for i := len(images) - 1; i >= 0; i-- {
		if left -= len(images[i].Data); left < 0 {
			images, text = images[i+1:], "The last images of the tool results above; there is no room for the others."
			break
		}
	}
	for i := len(a.memory) - 1; i >= 0; i-- {
		m := &a.memory[i]
		for _, img := range m.Images {
			left -= len(img.Data)
		}
		if left < 0 && len(m.Images) > 0 {
			m.Text, m.Images = forgotten, nil
		}
	}
	a.memory = append(a.memory, llm.Message{Role: llm.RoleUser, Text: text, Images: images})
}
