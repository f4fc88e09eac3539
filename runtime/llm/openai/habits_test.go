package openai_test

import (
	"testing"

	"gotest.tools/v3/assert"

	"drydock/internal/fakellm"
	"drydock/runtime/llm"
	"drydock/runtime/llm/openai"
)

// What a server refuses is left out, at once and from then on.
func TestRefusedParametersAreLeftOut(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		refusal fakellm.Turn
		sends   func(fakellm.Chat) bool
	}{
		"max_tokens": {
			fakellm.Body(400, jsonType, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`),
			func(c fakellm.Chat) bool { return c.MaxTokens != nil },
		},
		"temperature": {
			fakellm.Body(400, jsonType, `{"error":{"message":"Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.","param":"temperature","code":"unsupported_value"}}`),
			func(c fakellm.Chat) bool { return c.Temperature != nil },
		},
		"stream_options": {
			fakellm.Body(422, jsonType, `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`),
			func(c fakellm.Chat) bool { return c.StreamOptions.IncludeUsage },
		},
		"stream_options in words": {
			fakellm.Status(400, "Unrecognized request argument supplied: stream_options"),
			func(c fakellm.Chat) bool { return c.StreamOptions.IncludeUsage },
		},
		"stream": {
			fakellm.Body(400, jsonType, `{"error":{"message":"Unsupported value: 'stream' does not support true with this model.","param":"stream"}}`),
			func(c fakellm.Chat) bool { return c.Stream },
		},
		"streaming": {
			fakellm.Status(501, "Streaming is not implemented"),
			func(c fakellm.Chat) bool { return c.Stream },
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := fakellm.New(t, tt.refusal, fakellm.Text("fine"), fakellm.Text("again"))
			model, j := connect(t, srv, func(c *openai.Config) { c.MaxTokens, c.Temperature = 100, ptr(0.5) })
			for range 2 {
				_, err := model.Complete(t.Context(), ask("hi"))
				assert.NilError(t, err)
			}
			requests := srv.Requests()
			assert.Equal(t, len(requests), 3)
			assert.Assert(t, tt.sends(requests[0].Chat))
			assert.Assert(t, !tt.sends(requests[1].Chat))
			assert.Assert(t, !tt.sends(requests[2].Chat), "it is not tried again")
			assert.Equal(t, len(j.waits), 0, "there is nothing to wait for")
			assert.Equal(t, len(j.retries), 1)
			assert.Equal(t, j.retries[0].Wait.String(), "0s")
			if name == "max_tokens" {
				assert.Equal(t, *requests[1].Chat.MaxCompletionTokens, 100)
			}
		})
	}
}

// A server that refuses everything in turn is not asked for ever.
func TestAServerThatRefusesEverything(t *testing.T) {
	t.Parallel()
	refuse := fakellm.Status(400, "unknown: stream_options, max_tokens, temperature, stream")
	srv := fakellm.New(t, times(20, refuse)...)
	model, _ := connect(t, srv, func(c *openai.Config) { c.MaxTokens, c.Temperature = 100, ptr(0.0) })
	_, err := model.Complete(t.Context(), ask("hi"))
	assert.Equal(t, typed(t, err).Kind, llm.KindBadRequest)
	assert.Equal(t, len(srv.Requests()), 5)
}

func TestAParameterThatWasNotSentIsNotToBlame(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Status(400, "max_tokens is not supported"))
	model, _ := connect(t, srv)
	_, err := model.Complete(t.Context(), ask("hi"))
	assert.Equal(t, typed(t, err).Kind, llm.KindBadRequest)
	assert.Equal(t, len(srv.Requests()), 1)
}
