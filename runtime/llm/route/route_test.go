package route_test

import (
	"context"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime/llm"
	"drydock/runtime/llm/route"
)

// model notes what it is asked, and may refuse pictures.
type model struct {
	name   string
	blind  bool
	asked  []llm.Request
	billed llm.Usage
}

func (m *model) Complete(_ context.Context, req llm.Request) (llm.Response, error) {
	m.asked = append(m.asked, req)
	for _, msg := range req.Messages {
		if m.blind && len(msg.Images) > 0 {
			return llm.Response{}, &llm.Error{Kind: llm.KindNoImages, Usage: m.billed}
		}
	}
	return llm.Response{Model: m.name}, nil
}

func text() llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: "hi"}}}
}

func picture() llm.Request {
	return llm.Request{Messages: []llm.Message{
		{Role: llm.RoleUser, Text: "hi"},
		{Role: llm.RoleUser, Text: "look", Images: []llm.Image{{MIME: "image/png", Data: []byte("x")}, {MIME: "image/png", Data: []byte("y")}}},
	}}
}

func TestEachRequestGoesToAModelThatCanTakeIt(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		sees, vision bool
		req          llm.Request
		want         string
		images       bool
	}{
		"text":                          {false, true, text(), "main", false},
		"a picture for one that sees":   {true, true, picture(), "main", true},
		"a picture for one that cannot": {false, true, picture(), "vision", true},
		"nobody sees":                   {false, false, picture(), "main", false},
	} {
		main, vision := &model{name: "main"}, &model{name: "vision"}
		var second llm.Model
		if tt.vision {
			second = vision
		}
		resp, err := route.New(main, second, tt.sees).Complete(t.Context(), tt.req)
		assert.NilError(t, err)
		assert.Equal(t, resp.Model, tt.want, name)
		asked := append(main.asked, vision.asked...)
		assert.Equal(t, len(asked), 1)
		last := asked[0].Messages[len(asked[0].Messages)-1]
		assert.Equal(t, len(last.Images) > 0, tt.images, name)
		if name == "nobody sees" {
			assert.Assert(t, strings.HasPrefix(last.Text, "look\n[2 image(s) left out"), last.Text)
			assert.Equal(t, len(tt.req.Messages[1].Images), 2, "the caller's own messages are as they were")
		}
	}
}

// A table may be wrong about a model; its server knows.
func TestAModelThatTurnsOutToBeBlind(t *testing.T) {
	t.Parallel()
	for _, withVision := range []bool{true, false} {
		main, vision := &model{name: "main", blind: true, billed: llm.Usage{InputTokens: 7}}, &model{name: "vision"}
		var second llm.Model
		if withVision {
			second = vision
		}
		m := route.New(main, second, true)
		resp, err := m.Complete(t.Context(), picture())
		assert.NilError(t, err)
		assert.Equal(t, resp.Billed().InputTokens, 7)
		_, err = m.Complete(t.Context(), picture())
		assert.NilError(t, err)
		refused := 0
		for _, req := range main.asked {
			if len(req.Messages[1].Images) > 0 {
				refused++
			}
		}
		assert.Equal(t, refused, 1, "it is not tried again")
		assert.Equal(t, len(main.asked)+len(vision.asked), 3)
	}
}
