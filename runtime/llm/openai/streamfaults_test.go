package openai_test

import (
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/internal/fakellm"
	"drydock/runtime/llm"
	"drydock/runtime/llm/openai"
)

// Pieces of streams, for those that take liberties.
const (
	fineDelta = `{"choices":[{"index":0,"delta":{"content":"fine"}}]}`
	stopDelta = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	halfCall  = `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"bash","arguments":"{\"command\": \"rm -rf"}}]}}]}`
)

func dangerous() fakellm.Turn {
	return fakellm.Calls(fakellm.Call{ID: "a", Name: "bash", Arguments: `{"command": "rm -rf build"}`}).WithDeltas(4)
}

// What can only go wrong in a stream.
func TestStreamFaults(t *testing.T) {
	t.Parallel()
	event := func(data string) string { return "data: " + data + "\n\n" }
	failing := func(body string) []fakellm.Turn {
		return always(fakellm.Stream(event(fineDelta), event(body)))
	}
	tests := []fault{
		{"cut at once", then(fakellm.Stream("")), 2, "", 0, ""},
		{"cut at once, always", always(fakellm.Stream("")), 8, llm.KindNetwork, 0, "cut in the middle"},
		{"cut after the role", then(fakellm.Text("lost").CutAfter(1)), 2, "", 0, ""},
		{"cut in the text", then(fakellm.Text("lost words").WithDeltas(3).CutAfter(3)), 2, "", 0, ""},
		{"cut in the text, always", always(fakellm.Text("lost words").WithDeltas(3).CutAfter(3)), 8, llm.KindNetwork, 0, "cut in the middle of the answer"},
		{"cut in a call", then(dangerous().CutAfter(4)), 2, "", 0, ""},
		{"cut after a call", then(fakellm.Stream(event(strings.Replace(halfCall, "rm -rf", `ls\"}`, 1)))), 2, "", 0, ""},
		{"cut in a line", then(fakellm.Stream(event(fineDelta), `data: {"choices":[{"index":0,`)), 2, "", 0, ""},
		{"ends well before it is cut", []fakellm.Turn{fakellm.Text("fine").CutAfter(3)}, 1, "", 0, ""},
		{"ends well before a reset", []fakellm.Turn{fakellm.Stream(event(fineDelta), event(stopDelta)).ResetAfter(2)}, 1, "", 0, ""},
		{"reset in the text", then(fakellm.Text("lost").ResetAfter(2)), 2, "", 0, ""},
		{"reset in a call", then(dangerous().ResetAfter(3)), 2, "", 0, ""},
		{"no DONE", []fakellm.Turn{fakellm.Text("fine").WithoutDone()}, 1, "", 0, ""},
		{"no finish reason", []fakellm.Turn{fakellm.Events(fineDelta)}, 1, "", 0, ""},
		{"neither", then(fakellm.Stream(event(fineDelta))), 2, "", 0, ""},
		{"DONE in the middle of a call", then(fakellm.Events(halfCall)), 2, "", 0, ""},
		{"DONE in the middle of a call, always", always(fakellm.Events(halfCall)), 8, llm.KindNetwork, 0, "cut in the middle"},
		{"nothing but DONE", always(fakellm.Events()), 3, llm.KindBadResponse, 200, "no choices"},
		{"nothing but usage", always(fakellm.Events(`{"choices":[],"usage":{"prompt_tokens":1}}`)), 3, llm.KindBadResponse, 200, "no choices"},
		{"nothing but comments", then(fakellm.Stream(": a\n\n", ": b\n\n")), 2, "", 0, ""},
		{"garbage", then(fakellm.Events("garbage")), 2, "", 0, ""},
		{"garbage, always", failing("{garbage}"), 3, llm.KindBadResponse, 200, "a piece of the stream"},
		{"wrong types", failing(`{"choices":7}`), 3, llm.KindBadResponse, 200, "not the JSON"},
		{"plain text in a stream", failing("bad gateway"), 3, llm.KindBadResponse, 200, "a piece of the stream"},

		{"error with a passing code", then(fakellm.Events(`{"error":{"message":"busy","code":503}}`)), 2, "", 0, ""},
		{"error with a lasting code", failing(`{"error":{"message":"revoked","code":401}}`), 1, llm.KindAuth, 401, "check OPENAI_API_KEY: revoked"},
		{"error that says overloaded", failing(`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), 8, llm.KindOverloaded, 200, "Overloaded"},
		{"event of type error", then(fakellm.Stream("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"oops\"}}\n\n")), 2, "", 0, ""},
		{"error that says rate limit", failing(`{"error":{"message":"slow down","type":"rate_limit_error"}}`), 8, llm.KindRateLimit, 200, "slow down"},
		{"error that says overflow", failing(`{"error":{"message":"maximum context length is 5","type":"x"}}`), 1, llm.KindContextOverflow, 200, "maximum context"},
		{"error that says quota", failing(`{"error":{"message":"x","code":"insufficient_quota"}}`), 1, llm.KindQuota, 200, "x"},
		{"error that says refused", failing(`{"error":{"message":"no","code":"content_filter"}}`), 1, llm.KindRefused, 200, "no"},
		{"error without a reason", failing(`{"error":{}}`), 3, llm.KindBadResponse, 200, ""},
		{"error beside a choice", failing(`{"error":{"message":"provider died","code":502},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`), 8, llm.KindOverloaded, 502, "provider died"},
		{"finish error", then(fakellm.Text("par").WithFinish("error")), 2, "", 0, ""},

		{"stream ignored", []fakellm.Turn{fakellm.Body(200, jsonType, `{"choices":[{"message":{"content":"fine"},"finish_reason":"stop"}]}`)}, 1, "", 0, ""},
		{"page with 200", always(fakellm.HTMLPage(200)), 3, llm.KindBadResponse, 200, "an HTML page"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.check(t)
		})
	}
}

// A server that falls silent is asked again, whether or not it has begun.
func TestSilence(t *testing.T) {
	t.Parallel()
	for name, turn := range map[string]fakellm.Turn{
		"before the answer": fakellm.Hang("late"),
		"in the text":       fakellm.Text("lost words").WithDeltas(2).StallAfter(2),
		"in a call":         dangerous().StallAfter(3),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := fakellm.New(t, turn, fakellm.Text("fine"))
			model, j := connect(t, srv, func(c *openai.Config) { c.IdleTimeout = 200 * time.Millisecond })
			resp, err := model.Complete(t.Context(), ask("hi"))
			assert.NilError(t, err)
			assert.Equal(t, resp.Message.Text, "fine")
			assert.Equal(t, len(j.retries), 1)
			assert.Assert(t, strings.Contains(j.retries[0].Reason, "nothing came for 200ms"), j.retries[0].Reason)
		})
	}
}

// What was said in full counts, also when the server then falls silent.
func TestSilenceAfterTheEndLosesNothing(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Text("fine").StallAfter(3))
	model, _ := connect(t, srv, func(c *openai.Config) { c.IdleTimeout = 200 * time.Millisecond })
	resp, err := model.Complete(t.Context(), ask("hi"))
	assert.NilError(t, err)
	assert.Equal(t, resp.Message.Text, "fine")
	assert.Equal(t, resp.FinishReason, llm.FinishStop)
}

// A whole answer may take as long as the attempt; only streams are watched.
func TestAServerThatDoesNotStreamMayBeSilent(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Hang("fine"))
	model, _ := connect(t, srv, func(c *openai.Config) { c.NoStream, c.IdleTimeout = true, time.Millisecond })
	go func() {
		if srv.Await(t.Context(), 1) == nil {
			srv.Release()
		}
	}()
	resp, err := model.Complete(t.Context(), ask("hi"))
	assert.NilError(t, err)
	assert.Equal(t, resp.Message.Text, "fine")
}
