package memory

import (
	"errors"
	"fmt"

	"drydock/runtime/llm"
)

// Validate says what every provider would refuse in a conversation: a result
// without its call, a call without its result, messages out of order.
func Validate(messages []llm.Message) error {
	c := check{}
	for i, m := range messages {
		if err := c.take(m); err != nil {
			return fmt.Errorf("message %d of %d: %w", i+1, len(messages), err)
		}
	}
	if !c.begun {
		return errors.New("there is no message of the user")
	}
	if len(c.open) > 0 {
		return fmt.Errorf("%d calls have no result", len(c.open))
	}
	if messages[len(messages)-1].Role == llm.RoleAssistant {
		return errors.New("the last message is the model's own")
	}
	return nil
}

// check follows a conversation.
type check struct {
	begun bool            // a message of the user came
	open  map[string]bool // calls of the last answer without result
}

func (c *check) take(m llm.Message) error {
	if len(c.open) > 0 && m.Role != llm.RoleTool {
		return fmt.Errorf("%d calls before it have no result", len(c.open))
	}
	if m.Role != llm.RoleUser && len(m.Images) > 0 {
		return fmt.Errorf("images in a message of role %q", m.Role)
	}
	if m.Role != llm.RoleAssistant && len(m.ToolCalls) > 0 {
		return fmt.Errorf("calls in a message of role %q", m.Role)
	}
	switch m.Role {
	case llm.RoleSystem:
		if c.begun {
			return errors.New("a system message that is not at the start")
		}
	case llm.RoleUser:
		c.begun = true
	case llm.RoleAssistant:
		return c.answer(m)
	case llm.RoleTool:
		if !c.open[m.ToolCallID] {
			return fmt.Errorf("a result for %q, which is no open call", m.ToolCallID)
		}
		delete(c.open, m.ToolCallID)
	default:
		return fmt.Errorf("unknown role %q", m.Role)
	}
	return nil
}

func (c *check) answer(m llm.Message) error {
	if !c.begun {
		return errors.New("an answer before the user said anything")
	}
	if len(m.ToolCalls) == 0 {
		return nil
	}
	c.open = make(map[string]bool, len(m.ToolCalls))
	for _, call := range m.ToolCalls {
		if call.ID == "" || c.open[call.ID] {
			return fmt.Errorf("two calls with the id %q, or one without", call.ID)
		}
		c.open[call.ID] = true
	}
	return nil
}
