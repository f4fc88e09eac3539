package openai_test

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/internal/fakellm"
	"drydock/runtime/llm/openai"
)

func TestTextArrivesAsItIsSaid(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Text("one two three").WithDeltas(4).StallAfter(3))
	var said strings.Builder
	model, _ := connect(t, srv, func(c *openai.Config) {
		c.OnText = func(text string) {
			said.WriteString(text)
			if said.String() == "one two " {
				srv.Release() // it was heard before the answer is complete
			}
		}
	})
	_, err := model.Complete(t.Context(), ask("hi"))
	assert.NilError(t, err)
	assert.Equal(t, said.String(), "one two three")
}

// A key that a server repeats does not come to the terminal, in whatever pieces.
func TestTheKeyIsNotInLiveText(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 3, 7, 100} {
		text := "sk-ca sk-canary-012 " + testKey + testKey + " end sk-"
		var said strings.Builder
		model, _ := connect(t, fakellm.New(t, fakellm.Text(text).WithDeltas(size)), func(c *openai.Config) {
			c.OnText = func(text string) {
				said.WriteString(text)
				assert.Check(t, !strings.Contains(said.String(), testKey))
			}
		})
		resp, err := model.Complete(t.Context(), ask("hi"))
		assert.NilError(t, err)
		assert.Equal(t, said.String(), "sk-ca sk-canary-012 [redacted][redacted] end sk-")
		assert.Equal(t, said.String(), resp.Message.Text)
	}
}

// Half a key at the end of an answer that was cut stays unsaid.
func TestACutAnswerSaysNoHalfKey(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	srv := fakellm.New(t, fakellm.Text("x"+testKey).WithDeltas(5).CutAfter(4), fakellm.Text("fine"))
	model, _ := connect(t, srv, func(c *openai.Config) { c.OnText = func(text string) { said.WriteString(text) } })
	_, err := model.Complete(t.Context(), ask("hi"))
	assert.NilError(t, err)
	assert.Equal(t, said.String(), "xfine")
}
