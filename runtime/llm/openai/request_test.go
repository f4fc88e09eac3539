package openai_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"drydock/internal/fakellm"
	"drydock/runtime/llm"
	"drydock/runtime/llm/openai"
)

func ptr[T any](v T) *T { return &v }

func bashTool() llm.ToolSpec {
	return llm.ToolSpec{
		Name: "bash", Description: "Runs a command.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`),
	}
}

// afterTools is a conversation with two calls, one malformed, and an image.
func afterTools() []llm.Message {
	return []llm.Message{
		{Role: llm.RoleSystem, Text: "Be good."},
		{Role: llm.RoleUser, Text: "Plot <it> & go"},
		{Role: llm.RoleAssistant, Text: "I try.", ToolCalls: []llm.ToolCall{
			{ID: "c1", Name: "bash", Arguments: `{"command": "ls  -l"}`},
			{ID: "c2", Name: "functions.bash", Arguments: `{"command": "ls`},
			{ID: "c3", Name: "", Arguments: ""},
		}},
		{Role: llm.RoleTool, ToolCallID: "c1", Text: "a\nb\n"},
		{Role: llm.RoleTool, ToolCallID: "c2", Text: "arguments are not JSON"},
		{Role: llm.RoleTool, ToolCallID: "c3"},
		{Role: llm.RoleUser, Text: "The figure:", Images: []llm.Image{{MIME: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}}},
		{Role: llm.RoleAssistant},
		{Role: llm.RoleUser, Images: []llm.Image{{MIME: "image/gif", Data: []byte("GIF89a")}}},
	}
}

// The server refuses what providers refuse, so each golden body is also valid.
func TestRequestBodies(t *testing.T) {
	t.Parallel()
	hello := []llm.Message{{Role: llm.RoleUser, Text: "hi"}}
	tools := []llm.ToolSpec{bashTool(), {Name: "terminate"}}
	tests := []struct {
		name   string
		config openai.Config
		req    llm.Request
	}{
		{"plain", openai.Config{Model: "m"}, llm.Request{Messages: hello}},
		{"choice-without-tools", openai.Config{Model: "m"}, llm.Request{Messages: hello, ToolChoice: llm.ToolChoiceRequired}},
		{"tools", openai.Config{Model: "m"}, llm.Request{Messages: hello, Tools: tools}},
		{
			"tools-required",
			openai.Config{Model: "m", MaxTokens: 100, Temperature: ptr(0.7)},
			llm.Request{Messages: hello, Tools: tools, ToolChoice: llm.ToolChoiceRequired},
		},
		{"temperature-zero", openai.Config{Model: "m", Temperature: ptr(0.0)}, llm.Request{Messages: hello}},
		{
			"reasoning",
			openai.Config{Model: "openai/o3-mini", MaxTokens: 100, Temperature: ptr(0.0)},
			llm.Request{Messages: hello, Tools: tools},
		},
		{"conversation", openai.Config{Model: "m"}, llm.Request{Messages: afterTools(), Tools: tools}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			srv := fakellm.New(t, fakellm.Text("ok"))
			tt.config.BaseURL, tt.config.APIKey = srv.URL(), testKey
			model, err := openai.New(tt.config)
			assert.NilError(t, err)
			_, err = model.Complete(t.Context(), tt.req)
			assert.NilError(t, err)
			var body bytes.Buffer
			assert.NilError(t, json.Indent(&body, srv.Requests()[0].Body, "", "  "))
			body.WriteByte('\n')
			golden.Assert(t, body.String(), tt.name+".golden.json")
		})
	}
}

func TestHeadersOfARequest(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Text("a"), fakellm.Text("b"))
	model, _ := connect(t, srv, func(c *openai.Config) { c.APIKey, c.UserAgent = " \t"+testKey+"\r\n", "drydock/1.2" })
	_, err := model.Complete(t.Context(), ask("hi"))
	assert.NilError(t, err)
	srv.AssertKey(t, testKey)
	assert.Equal(t, srv.Requests()[0].Header.Get("User-Agent"), "drydock/1.2")

	keyless := fakellm.New(t, fakellm.Text("a"))
	model, _ = connect(t, keyless, func(c *openai.Config) { c.APIKey, c.BaseURL = "", c.BaseURL+"/" })
	_, err = model.Complete(t.Context(), ask("hi"))
	assert.NilError(t, err)
	keyless.AssertKey(t, "")
	assert.Equal(t, keyless.Requests()[0].Header.Get("User-Agent"), openai.DefaultUserAgent)
}

func TestReasoningFamilies(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		reasoning bool
		effort    string // with tools
	}{
		"o1": {true, ""}, "o3-mini": {true, ""}, "o4-mini": {true, ""}, "gpt-5.1": {true, ""},
		"openai/gpt-5-mini": {true, ""}, "gpt-6-sol": {true, "none"}, "gpt-6-luna": {true, "none"},
		"gpt-4o": {false, ""}, "qwen/qwen3": {false, ""}, "o1-vendor/llama": {true, ""},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := fakellm.New(t, fakellm.Text("ok"))
			model, _ := connect(t, srv, func(c *openai.Config) {
				c.Model, c.MaxTokens, c.Temperature = name, 64, ptr(0.5)
			})
			_, err := model.Complete(t.Context(), llm.Request{Messages: ask("hi").Messages, Tools: []llm.ToolSpec{bashTool()}})
			assert.NilError(t, err)
			chat := srv.Requests()[0].Chat
			assert.Equal(t, chat.MaxCompletionTokens != nil, want.reasoning)
			assert.Equal(t, chat.MaxTokens != nil, !want.reasoning)
			assert.Equal(t, chat.Temperature != nil, !want.reasoning)
			assert.Equal(t, bytes.Contains(srv.Requests()[0].Body, []byte(`"reasoning_effort":"none"`)), want.effort == "none")
		})
	}
}

// What cannot be sent is refused here, before anything is paid for.
func TestUnsendableRequests(t *testing.T) {
	t.Parallel()
	png := []llm.Image{{MIME: "image/png", Data: []byte("x")}}
	tests := map[string]struct {
		req  llm.Request
		want string
	}{
		"image in a result": {llm.Request{Messages: []llm.Message{{Role: llm.RoleTool, Images: png}}}, `message 1: role "tool" cannot carry images`},
		"not an image":      {llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Images: []llm.Image{{MIME: "text/plain", Data: []byte("x")}}}}}, "not an image type"},
		"empty image":       {llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Images: []llm.Image{{MIME: "image/png"}}}}}, "no data"},
		"broken schema":     {llm.Request{Messages: ask("hi").Messages, Tools: []llm.ToolSpec{{Name: "a", Parameters: json.RawMessage(`{`)}}}, `tool "a": its parameters`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := fakellm.New(t)
			model, j := connect(t, srv)
			_, err := model.Complete(t.Context(), tt.req)
			assert.Equal(t, typed(t, err).Kind, llm.KindBadRequest)
			assert.ErrorContains(t, err, tt.want)
			assert.Equal(t, len(srv.Requests())+len(j.waits), 0)
		})
	}
}

func TestAModelThatTheLibraryRefuses(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t)
	model, j := connect(t, srv, func(c *openai.Config) { c.Model = "text-davinci-003" })
	_, err := model.Complete(t.Context(), ask("hi"))
	e := typed(t, err)
	assert.Equal(t, e.Kind, llm.KindBadRequest)
	assert.Equal(t, len(srv.Requests())+len(j.waits), 0)
}
