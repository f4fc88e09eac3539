package openai_test

import (
	"testing"

	"gotest.tools/v3/assert"

	"drydock/internal/fakellm"
	"drydock/runtime/llm"
)

func TestAnAnswerWithCalls(t *testing.T) {
	t.Parallel()
	turn := fakellm.TextCalls("look", fakellm.Call{Name: "bash", Arguments: `{"command":"ls"}`}, fakellm.Call{Name: "bash", Arguments: `{broken`})
	turn.Usage = fakellm.Usage{Prompt: 50, Completion: 6, Cached: 32}
	model, _ := connect(t, fakellm.New(t, turn))
	resp, err := model.Complete(t.Context(), ask("hi"))
	assert.NilError(t, err)
	assert.DeepEqual(t, resp, llm.Response{
		Message: llm.Message{Role: llm.RoleAssistant, Text: "look", ToolCalls: []llm.ToolCall{
			{ID: "call_1_1", Name: "bash", Arguments: `{"command":"ls"}`},
			{ID: "call_1_2", Name: "bash", Arguments: `{broken`},
		}},
		FinishReason: llm.FinishToolCalls,
		Usage:        llm.Usage{InputTokens: 50, OutputTokens: 6, CachedTokens: 32},
		Model:        fakellm.ModelName,
	})
}

func TestFinishReasons(t *testing.T) {
	t.Parallel()
	calls := fakellm.Calls(fakellm.Call{Name: "bash", Arguments: "{}"})
	tests := []struct {
		turn fakellm.Turn
		want llm.FinishReason
	}{
		{fakellm.Text("x"), llm.FinishStop},
		{fakellm.Text("x").WithFinish("eos"), llm.FinishStop},
		{fakellm.Text("x").WithFinish("tool_calls"), llm.FinishStop},
		{fakellm.Text("").WithFinish("stop"), llm.FinishStop},
		{calls, llm.FinishToolCalls},
		{calls.WithFinish("stop"), llm.FinishToolCalls},
		{calls.WithFinish("length"), llm.FinishLength},
		{fakellm.Text("x").WithFinish("length"), llm.FinishLength},
		{fakellm.Text("x").WithFinish("MAX_TOKENS"), llm.FinishLength},
		{fakellm.Text("").WithFinish("content_filter"), llm.FinishRefused},
		{fakellm.Refusal("I will not"), llm.FinishRefused},
		{fakellm.Body(200, "application/json", `{"choices":[{"message":{"content":"x"},"finish_reason":null}]}`), llm.FinishStop},
	}
	for _, tt := range tests {
		model, _ := connect(t, fakellm.New(t, tt.turn))
		resp, err := model.Complete(t.Context(), ask("hi"))
		assert.NilError(t, err)
		assert.Equal(t, resp.FinishReason, tt.want, "%+v", tt.turn)
		assert.Equal(t, resp.Message.Role, llm.RoleAssistant)
	}
}

func TestRefusalTextIsKept(t *testing.T) {
	t.Parallel()
	model, _ := connect(t, fakellm.New(t, fakellm.Refusal("I will not")))
	resp, err := model.Complete(t.Context(), ask("hi"))
	assert.NilError(t, err)
	assert.Equal(t, resp.Message.Text, "I will not")
}

// Answers of servers that take liberties with the format.
func TestAnswersOfUnusualShape(t *testing.T) {
	t.Parallel()
	const call = `{"type":"function","function":{"name":"a","arguments":"{}"}}`
	const sameID = `{"id":"0","type":"function","function":{"name":"a","arguments":"{}"}}`
	tests := map[string]struct {
		body  string
		text  string
		calls int
	}{
		"content as parts": {`{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]}`, "ab", 0},
		"no call ids":      {`{"choices":[{"message":{"content":null,"tool_calls":[` + call + `,` + call + `]}}]}`, "", 2},
		"same call ids":    {`{"choices":[{"message":{"tool_calls":[` + sameID + `,` + sameID + `]}}]}`, "", 2},
		"no usage":         {`{"choices":[{"message":{"content":"x"}}],"usage":null}`, "x", 0},
		"error is null":    {`{"choices":[{"message":{"content":"x"}}],"error":null}`, "x", 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model, _ := connect(t, fakellm.New(t, fakellm.Body(200, "application/json", tt.body)))
			resp, err := model.Complete(t.Context(), ask("hi"))
			assert.NilError(t, err)
			assert.Equal(t, resp.Message.Text, tt.text)
			ids := map[string]bool{}
			for _, c := range resp.Message.ToolCalls {
				assert.Assert(t, c.ID != "")
				ids[c.ID] = true
			}
			assert.Equal(t, len(ids), tt.calls, "each call has an id of its own")
		})
	}
}

// A malformed call must not poison the conversation that follows it.
func TestTheConversationAfterAMalformedCallIsValid(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t,
		fakellm.Calls(
			fakellm.Call{Name: "no such tool!", Arguments: `{"command": "ls`},
			fakellm.Call{Name: "", Arguments: ``},
			fakellm.Call{Name: "bash", Arguments: `[1]`},
		),
		fakellm.Text("sorry"),
	)
	model, _ := connect(t, srv)
	req := ask("hi")
	first, err := model.Complete(t.Context(), req)
	assert.NilError(t, err)
	req.Messages = append(req.Messages, first.Message)
	for _, call := range first.Message.ToolCalls {
		req.Messages = append(req.Messages, llm.Message{Role: llm.RoleTool, ToolCallID: call.ID, Text: "error"})
	}
	_, err = model.Complete(t.Context(), req)
	assert.NilError(t, err)
	srv.AssertAllValid(t)
}
