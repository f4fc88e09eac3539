package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// turn is one line of a recording, as far as the tasks' own rules go.
type turn struct {
	Text      string `json:"text"`
	ToolCalls []struct {
		Name      string `json:"name"`
		Arguments struct {
			Command string `json:"command"`
			Status  string `json:"status"`
		} `json:"arguments"`
	} `json:"tool_calls"`
}

// requiredTools are the tools that every recording has to use.
func requiredTools() []string { return []string{"bash", "python_execute", "str_replace_editor"} }

func readTurns(file string) ([]turn, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read turns: %w", err)
	}
	var turns []turn
	for i, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		var t turn
		if err := json.Unmarshal(line, &t); err != nil {
			return nil, fmt.Errorf("read turns: line %d of %s: %w", i+1, file, err)
		}
		turns = append(turns, t)
	}
	return turns, nil
}

// checkTurns reports a recording that breaks the rules by which the runner
// reads a run: the tests come first and last, all tools are used, and the
// model ends the run itself.
func checkTurns(t task) error {
	turns, err := readTurns(t.turnsFile())
	if err != nil {
		return err
	}
	used := map[string]bool{}
	var shell []string
	last := ""
	for _, turn := range turns {
		for _, c := range turn.ToolCalls {
			used[c.Name] = true
			last = c.Name + " " + c.Arguments.Status
			if c.Name == "bash" {
				shell = append(shell, c.Arguments.Command)
			}
		}
	}
	for _, name := range requiredTools() {
		if !used[name] {
			return fmt.Errorf("%s: the turns never use %s", t.Name, name)
		}
	}
	if len(shell) < 2 || shell[0] != t.Test || shell[len(shell)-1] != t.Test {
		return fmt.Errorf("%s: the first and the last bash call have to be the task's test command", t.Name)
	}
	if last != "terminate success" {
		return fmt.Errorf("%s: the turns have to end with terminate success", t.Name)
	}
	return nil
}
