package memory_test

import (
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime/llm"
	"drydock/runtime/memory"
)

func TestInvalidConversationsAreNamed(t *testing.T) {
	t.Parallel()
	system := llm.Message{Role: llm.RoleSystem, Text: "s"}
	user := llm.Message{Role: llm.RoleUser, Text: "u"}
	says := llm.Message{Role: llm.RoleAssistant, Text: "a"}
	calls := func(ids ...string) llm.Message {
		m := llm.Message{Role: llm.RoleAssistant}
		for _, id := range ids {
			m.ToolCalls = append(m.ToolCalls, llm.ToolCall{ID: id, Name: "bash", Arguments: "{}"})
		}
		return m
	}
	result := func(id string) llm.Message { return llm.Message{Role: llm.RoleTool, ToolCallID: id, Text: "r"} }
	list := func(m ...llm.Message) []llm.Message { return m }
	for name, row := range map[string]struct {
		messages []llm.Message
		problem  string // none if empty
	}{
		"start":                 {list(system, user), ""},
		"results in any order":  {list(system, user, calls("a", "b"), result("b"), result("a")), ""},
		"an id used again":      {list(user, calls("a"), result("a"), calls("a"), result("a"), user), ""},
		"nothing":               {nil, "no message of the user"},
		"orphan result":         {list(user, result("a")), `message 2 of 2: a result for "a"`},
		"result twice":          {list(user, calls("a"), result("a"), result("a")), `message 4 of 4: a result for "a"`},
		"result of another":     {list(user, calls("a"), result("b")), `"b", which is no open call`},
		"open at the end":       {list(user, calls("a", "b"), result("b")), "1 calls have no result"},
		"open before an answer": {list(user, calls("a"), says), "1 calls before it have no result"},
		"open before a user":    {list(user, calls("a"), user), "1 calls before it have no result"},
		"same id twice":         {list(user, calls("a", "a"), result("a")), `two calls with the id "a"`},
		"no id":                 {list(user, calls(""), result("")), "or one without"},
		"late system":           {list(user, says, system), "not at the start"},
		"answer first":          {list(system, says), "before the user said anything"},
		"answer last":           {list(user, says), "the model's own"},
		"picture of a tool":     {list(user, calls("a"), llm.Message{Role: llm.RoleTool, ToolCallID: "a", Images: []llm.Image{{}}}), "images in a message"},
		"calls of a user":       {list(llm.Message{Role: llm.RoleUser, ToolCalls: calls("a").ToolCalls}), "calls in a message"},
		"unknown role":          {list(user, llm.Message{Role: "robot"}), `unknown role "robot"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := memory.Validate(row.messages)
			if row.problem == "" {
				assert.NilError(t, err)
				return
			}
			assert.ErrorContains(t, err, row.problem)
		})
	}
}
