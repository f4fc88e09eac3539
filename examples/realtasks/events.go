package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// call is a finished tool call in a run's events.
type call struct {
	Type     string `json:"type"`
	Name     string `json:"name"`
	Status   string `json:"status"`
	ExitCode *int   `json:"exit_code"`
}

func (c call) String() string {
	if c.ExitCode == nil {
		return c.Status
	}
	return fmt.Sprintf("%s (%d)", c.Status, *c.ExitCode)
}

func (c call) ended(status string, code int) bool {
	return c.Status == status && c.ExitCode != nil && *c.ExitCode == code
}

func readCalls(events io.Reader) ([]call, error) {
	var calls []call
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var c call
			if err := json.Unmarshal(line, &c); err != nil {
				return nil, fmt.Errorf("read events: %w", err)
			}
			if c.Type == "tool.completed" {
				calls = append(calls, c)
			}
		}
		if errors.Is(err, io.EOF) {
			return calls, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read events: %w", err)
		}
	}
}
