package openai_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/internal/fakellm"
	"drydock/runtime/llm"
	"drydock/runtime/llm/openai"
)

// However a stream is cut into pieces, and however its lines end, it says the
// same.
func TestStreamsOfManyShapes(t *testing.T) {
	t.Parallel()
	plain := "data: " + fineDelta + "\n\ndata: " + stopDelta + "\n\ndata: [DONE]\n\n"
	bytewise := fakellm.Text("fine").WithPieces(1)
	for name, turn := range map[string]fakellm.Turn{
		"whole":              fakellm.Stream(plain),
		"byte by byte":       bytewise,
		"letter by letter":   fakellm.Text("fine").WithDeltas(1).WithPieces(7),
		"CRLF":               fakellm.Stream(strings.ReplaceAll(plain, "\n", "\r\n")),
		"CR":                 fakellm.Stream(strings.ReplaceAll(plain, "\n", "\r")),
		"CRLF byte by byte":  fakellm.Stream(strings.ReplaceAll(plain, "\n", "\r\n")).WithPieces(1),
		"no space":           fakellm.Stream(strings.ReplaceAll(plain, "data: ", "data:")),
		"no empty lines":     fakellm.Stream(strings.ReplaceAll(plain, "\n\n", "\n")),
		"no last line end":   fakellm.Stream(strings.TrimSpace(plain)),
		"comments":           fakellm.Stream(": PROCESSING\n\n" + strings.ReplaceAll(plain, "\n\n", "\n\n: keep-alive\n\n")),
		"other fields":       fakellm.Stream("retry: 10\nid: 1\nevent: message\n" + plain),
		"byte order mark":    fakellm.Stream("\ufeff" + plain),
		"data in two lines":  fakellm.Stream("data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"fine\"},\"finish_reason\":\"stop\"}]}\n\n"),
		"a whole answer":     fakellm.Events(`{"object":"chat.completion","choices":[{"index":0,"message":{"content":"fine"},"finish_reason":"stop"}]}`),
		"repeated at end":    fakellm.Events(fineDelta, `{"choices":[{"index":0,"message":{"content":"fine"},"finish_reason":"stop"}]}`),
		"content in parts":   fakellm.Events(`{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[]},{"type":"text","text":"fine"}]}}]}`, stopDelta),
		"nulls":              fakellm.Events(`{"choices":[{"delta":{"role":"assistant","content":null,"tool_calls":null,"refusal":null},"finish_reason":null}],"usage":null,"error":null}`, fineDelta, stopDelta),
		"Azure's first":      fakellm.Events(`{"choices":[],"prompt_filter_results":[{"prompt_index":0}],"model":""}`, fineDelta, stopDelta),
		"another choice":     fakellm.Events(`{"choices":[{"index":1,"delta":{"content":"other"}}]}`, fineDelta, stopDelta),
		"reasoning":          fakellm.Events(`{"choices":[{"delta":{"reasoning_content":"hm","reasoning":"hm"}}]}`, fineDelta, stopDelta),
		"more after the end": fakellm.Stream(plain + "data: {garbage}\n\n"),
		"streamed unasked":   fakellm.Stream(plain),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := fakellm.New(t, turn)
			model, _ := connect(t, srv, func(c *openai.Config) { c.NoStream = name == "streamed unasked" })
			resp, err := model.Complete(t.Context(), ask("hi"))
			assert.NilError(t, err)
			assert.Equal(t, resp.Message.Text, "fine")
			assert.Equal(t, resp.FinishReason, llm.FinishStop)
		})
	}
}

// The usage is asked for and comes last, or with each piece, or not at all.
func TestUsageOfAStream(t *testing.T) {
	t.Parallel()
	const before, after = `{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":1}}`, `{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":3}}}`
	want := llm.Usage{InputTokens: 7, OutputTokens: 2, CachedTokens: 3}
	for name, tt := range map[string]struct {
		turn fakellm.Turn
		want llm.Usage
	}{
		"at the end": {fakellm.Events(fineDelta, stopDelta, after), want},
		"each time":  {fakellm.Events(before, fineDelta, before, stopDelta, after), want},
		"then null":  {fakellm.Events(after, fineDelta, stopDelta, `{"choices":[],"usage":null}`), want},
		"none":       {fakellm.Events(fineDelta, stopDelta), llm.Usage{}},
	} {
		srv := fakellm.New(t, tt.turn)
		model, _ := connect(t, srv)
		resp, err := model.Complete(t.Context(), ask("hi"))
		assert.NilError(t, err)
		assert.Equal(t, resp.Usage, tt.want, name)
		assert.Assert(t, srv.Requests()[0].Chat.StreamOptions.IncludeUsage)
	}
	cut := fakellm.Stream("data: "+before+"\n\n", "data: "+fineDelta+"\n\n")
	model, _ := connect(t, fakellm.New(t, cut, fakellm.Text("ok")))
	resp, err := model.Complete(t.Context(), ask("hi"))
	assert.NilError(t, err)
	assert.Equal(t, resp.Discarded, llm.Usage{InputTokens: 7, OutputTokens: 1}, "billed for the answer that was cut")
}

func TestLimitsWithinAStream(t *testing.T) {
	t.Parallel()
	half := dangerous().WithFinish("length")
	half.Calls[0].Arguments = `{"command": "rm -rf`
	model, _ := connect(t, fakellm.New(t, half, fakellm.Text("x").WithFinish("content_filter"), fakellm.Refusal("no")))
	resp, err := model.Complete(t.Context(), ask("hi"))
	assert.NilError(t, err)
	assert.Equal(t, resp.FinishReason, llm.FinishLength, "so that the call is not executed")
	for range 2 {
		resp, err = model.Complete(t.Context(), ask("hi"))
		assert.NilError(t, err)
		assert.Equal(t, resp.FinishReason, llm.FinishRefused)
	}
}

// endless sends one text over and over.
func endless(t *testing.T, text string) string {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			if _, err := w.Write([]byte(text)); err != nil {
				return
			}
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestEndlessStreamsAreCut(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"text":   "data: {\"choices\":[{\"delta\":{\"content\":\"" + strings.Repeat("x", 1<<20) + "\"}}]}\n\n",
		"calls":  "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"a\",\"arguments\":\"{}\"}}]}}]}\n\n",
		"a line": strings.Repeat("x", 1<<20),
		"idle":   strings.Repeat(": nothing\n", 1<<16),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model, j := connect(t, fakellm.New(t), func(c *openai.Config) { c.BaseURL = endless(t, text) })
			_, err := model.Complete(t.Context(), ask("hi"))
			assert.Equal(t, typed(t, err).Kind, llm.KindBadResponse, "%v", err)
			assert.ErrorContains(t, err, "too large")
			assert.Equal(t, len(j.waits), 0)
		})
	}
}

func TestCancelClosesTheStream(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Text("begun and never ended").WithDeltas(5).StallAfter(2))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	model, j := connect(t, srv, func(c *openai.Config) { c.OnText = func(string) { cancel() } })
	_, err := model.Complete(ctx, ask("hi"))
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, typed(t, err).Kind, llm.KindCanceled)
	assert.Equal(t, len(j.waits), 0)
	srv.Close() // would not return while the connection is in use
}
