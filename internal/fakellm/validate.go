package fakellm

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// check refuses what at least one of the usual servers refuses, so that a
// conversation which passes here passes everywhere.
func check(chat Chat) error {
	if chat.Model == "" {
		return errors.New("you must provide a model parameter")
	}
	if err := checkTools(chat); err != nil {
		return err
	}
	if err := checkParameters(chat); err != nil {
		return err
	}
	return checkMessages(chat.Messages)
}

func checkTools(chat Chat) error {
	if len(chat.Tools) == 0 && len(chat.ToolChoice) > 0 {
		return errors.New("tool_choice is only allowed when tools are specified")
	}
	if choice := string(chat.ToolChoice); strings.HasPrefix(choice, `"`) {
		if choice != `"auto"` && choice != `"none"` && choice != `"required"` {
			return fmt.Errorf("tool_choice %s is unknown", choice)
		}
	}
	seen := map[string]bool{}
	for i, tool := range chat.Tools {
		name := tool.Function.Name
		switch {
		case tool.Type != "function":
			return fmt.Errorf("tools[%d].type must be function", i)
		case !toolName.MatchString(name):
			return fmt.Errorf("tools[%d].function.name %q does not match %s", i, name, toolName)
		case seen[name]:
			return fmt.Errorf("tools: the name %q is not unique", name)
		case !isObjectSchema(tool.Function.Parameters):
			return fmt.Errorf("tools[%d].function.parameters must be a schema of type object", i)
		}
		seen[name] = true
	}
	return nil
}

func isObjectSchema(raw json.RawMessage) bool {
	var schema struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(raw, &schema) == nil && schema.Type == "object"
}

// checkParameters knows the parameters that reasoning models do not take.
func checkParameters(chat Chat) error {
	if chat.MaxTokens != nil && chat.MaxCompletionTokens != nil {
		return errors.New("max_tokens and max_completion_tokens exclude each other")
	}
	for _, limit := range []*int{chat.MaxTokens, chat.MaxCompletionTokens} {
		if limit != nil && *limit < 1 {
			return errors.New("max_tokens must be at least 1")
		}
	}
	if t := chat.Temperature; t != nil && (*t < 0 || *t > 2) {
		return errors.New("temperature must be from 0 to 2")
	}
	if !isReasoning(chat.Model) {
		return nil
	}
	if chat.MaxTokens != nil {
		return errors.New("unsupported parameter: max_tokens does not go with this model, use max_completion_tokens")
	}
	if t := chat.Temperature; t != nil && *t != 1 {
		return errors.New("unsupported value: this model takes only the default temperature")
	}
	return nil
}

func isReasoning(model string) bool {
	for _, prefix := range []string{"o1", "o3", "o4", "gpt-5"} {
		if strings.HasPrefix(model, prefix) {
			return true
		}
	}
	return false
}
