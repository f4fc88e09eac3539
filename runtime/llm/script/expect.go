package script

import (
	"fmt"
	"strings"

	"drydock/runtime/llm"
)

// ExpectError means that a turn's expectation was not met.
type ExpectError struct {
	Name string // the script's name, usually its path
	Line int    // the line of the turn, from 1
	Turn int    // the number of the turn, from 1
	Want string // the text that should have been there
	Got  string // what was there instead, in full
}

// maxShown is how many bytes of the observations the message repeats.
const maxShown = 400

func (e *ExpectError) Error() string {
	if e.Got == "" {
		return fmt.Sprintf("%s:%d: turn %d expects %q, but there are no observations before it", e.Name, e.Line, e.Turn, e.Want)
	}
	return fmt.Sprintf("%s:%d: turn %d expects %q, which is not in the observations before it: %q",
		e.Name, e.Line, e.Turn, e.Want, shorten(e.Got))
}

// shorten keeps both ends: what a command did stands at the start, how it
// ended at the end.
func shorten(text string) string {
	if len(text) <= maxShown {
		return text
	}
	half := maxShown / 2
	return strings.ToValidUTF8(text[:half], "") + " … " + strings.ToValidUTF8(text[len(text)-half:], "")
}

func (m *Model) checkExpectations(t turn, seen []string) error {
	for _, want := range t.expect {
		if !anyContains(seen, want) {
			return &ExpectError{
				Name: m.name, Line: t.line, Turn: m.next + 1,
				Want: want, Got: strings.Join(seen, "\n"),
			}
		}
	}
	return nil
}

func anyContains(texts []string, want string) bool {
	for _, text := range texts {
		if strings.Contains(text, want) {
			return true
		}
	}
	return false
}

// observations are the texts since the last assistant message: the results of
// its calls and what the user said, or at the start the task.
func observations(messages []llm.Message) []string {
	var texts []string
	for _, m := range messages {
		switch m.Role {
		case llm.RoleAssistant:
			texts = nil
		case llm.RoleTool, llm.RoleUser:
			texts = append(texts, m.Text)
		}
	}
	return texts
}
