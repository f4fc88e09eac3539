package fakellm

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
)

// conversation follows the messages of one request in order.
type conversation struct {
	begun bool            // a message that is not a system message came
	open  map[string]bool // calls of the last assistant message without answer
}

func checkMessages(messages []Message) error {
	c := conversation{}
	for i, m := range messages {
		if err := c.take(m); err != nil {
			return fmt.Errorf("messages[%d]: %w", i, err)
		}
	}
	if len(c.open) > 0 {
		return fmt.Errorf("the calls %s have no tool message that answers them", c.openIDs())
	}
	if !c.begun {
		return errors.New("messages: there must be a user message")
	}
	if last := messages[len(messages)-1].Role; last == "assistant" {
		return errors.New("messages: the last one must be from the user or a tool")
	}
	return nil
}

func (c *conversation) take(m Message) error {
	if len(c.open) > 0 && m.Role != "tool" {
		return fmt.Errorf("an assistant message with tool_calls must be followed by tool messages; unanswered: %s", c.openIDs())
	}
	if m.Role != "user" && m.Content != nil && len(m.Content.Images) > 0 {
		return fmt.Errorf("images are not allowed in a message of role %q", m.Role)
	}
	switch m.Role {
	case "system", "developer":
		if c.begun {
			return errors.New("a system message must come first")
		}
		return needText(m)
	case "user":
		c.begun = true
		return needText(m)
	case "assistant":
		return c.takeAssistant(m)
	case "tool":
		return c.takeResult(m)
	default:
		return fmt.Errorf("unknown role %q", m.Role)
	}
}

func needText(m Message) error {
	if m.Content == nil || (m.Content.Text == "" && len(m.Content.Images) == 0) {
		return errors.New("content must not be empty")
	}
	return nil
}

func (c *conversation) takeAssistant(m Message) error {
	if !c.begun {
		return errors.New("the first message after the system message must be from the user")
	}
	if len(m.ToolCalls) == 0 {
		return needText(m)
	}
	c.open = map[string]bool{}
	for i, call := range m.ToolCalls {
		if err := checkCall(call); err != nil {
			return fmt.Errorf("tool_calls[%d]: %w", i, err)
		}
		if c.open[call.ID] {
			return fmt.Errorf("tool_calls[%d]: the id %q is not unique", i, call.ID)
		}
		c.open[call.ID] = true
	}
	return nil
}

func checkCall(call MessageCall) error {
	switch {
	case call.ID == "":
		return errors.New("id is missing")
	case call.Type != "function":
		return errors.New("type must be function")
	case !toolName.MatchString(call.Function.Name):
		return fmt.Errorf("function.name %q does not match %s", call.Function.Name, toolName)
	case call.Function.Arguments == nil:
		return errors.New("function.arguments is missing")
	}
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(*call.Function.Arguments), &object) != nil || object == nil {
		return errors.New("function.arguments is not a JSON object")
	}
	return nil
}

func (c *conversation) takeResult(m Message) error {
	if m.Content == nil {
		return errors.New("content is missing")
	}
	if !c.open[m.ToolCallID] {
		return fmt.Errorf("a tool message must answer a call of the assistant message before it, and none has the id %q", m.ToolCallID)
	}
	delete(c.open, m.ToolCallID)
	return nil
}

func (c *conversation) openIDs() string {
	ids := make([]string, 0, len(c.open))
	for id := range c.open {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	return strings.Join(ids, ", ")
}
