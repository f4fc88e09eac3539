// Package route sends each request to the model that can take it: pictures go
// to one that sees, and where there is none, words say what is missing.
package route

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"drydock/runtime/llm"
)

// Model is the main model, and the one that takes its place for conversations
// with pictures. It is safe for concurrent use.
type Model struct {
	main   llm.Model
	vision llm.Model   // nil for none
	blind  atomic.Bool // the main model takes no pictures
}

var _ llm.Model = (*Model)(nil)

// New makes a model of two. Sees says that the main model takes pictures itself:
// the vision model is then asked only if the main one's server says otherwise.
// The vision model may be nil.
func New(main, vision llm.Model, sees bool) *Model {
	m := &Model{main: main, vision: vision}
	m.blind.Store(!sees)
	return m
}

// Complete asks the model that can take the request. Its errors are those of
// that model. What a refusal for pictures was billed is in the answer's
// Discarded, or in the error's Usage.
func (m *Model) Complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	if !hasImages(req) {
		return m.main.Complete(ctx, req)
	}
	if m.blind.Load() {
		return m.see(ctx, req)
	}
	resp, err := m.main.Complete(ctx, req)
	var failed *llm.Error
	if !errors.As(err, &failed) || failed.Kind != llm.KindNoImages {
		return resp, err
	}
	m.blind.Store(true)
	resp, err = m.see(ctx, req)
	resp.Discarded = resp.Discarded.Add(failed.Usage)
	var again *llm.Error
	if errors.As(err, &again) {
		again.Usage = again.Usage.Add(failed.Usage)
	}
	return resp, err
}

// see is for requests with pictures that the main model cannot take.
func (m *Model) see(ctx context.Context, req llm.Request) (llm.Response, error) {
	if m.vision != nil {
		return m.vision.Complete(ctx, req)
	}
	req.Messages = inWords(req.Messages)
	return m.main.Complete(ctx, req)
}

func hasImages(req llm.Request) bool {
	return slices.ContainsFunc(req.Messages, func(m llm.Message) bool { return len(m.Images) > 0 })
}

// inWords has a line of text for the pictures of each message. The caller's
// messages stay as they are.
func inWords(messages []llm.Message) []llm.Message {
	out := slices.Clone(messages)
	for i := range out {
		n := len(out[i].Images)
		if n == 0 {
			continue
		}
		if out[i].Text != "" {
			out[i].Text += "\n"
		}
		out[i].Text += fmt.Sprintf("[%d image(s) left out: this model takes no images. Find out what they show in another way, for example by printing numbers.]", n)
		out[i].Images = nil
	}
	return out
}
