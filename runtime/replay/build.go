package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"drydock/runtime"
	"drydock/runtime/llm"
)

// builder makes a run from its events.
type builder struct {
	run *Run
	cut error // of a line that is no JSON; only the last one may be
}

// Types of the events that are read; a log's other events say nothing that a
// replay needs.
var (
	typeStarted   = runtime.RunStarted{}.EventType()
	typeReady     = runtime.SandboxReady{}.EventType()
	typeMessage   = runtime.ModelMessage{}.EventType()
	typeCompleted = runtime.ToolCompleted{}.EventType()
	typeEnds      = []string{runtime.RunEnded{}.EventType(), runtime.RunEnded{OK: true}.EventType()}
)

func (b *builder) add(line []byte) error {
	var head struct {
		Version int    `json:"v"`
		Type    string `json:"type"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		b.cut = fmt.Errorf("the line is not an event: %w", err)
		return nil
	}
	switch {
	case head.Version != runtime.SchemaVersion:
		return fmt.Errorf("the event has version %d; this drydock reads version %d", head.Version, runtime.SchemaVersion)
	case b.run.Started == nil && head.Type != typeStarted:
		return errors.New("the log of a run begins with " + typeStarted)
	case b.run.Started != nil && head.Type == typeStarted:
		return errors.New("a second run begins here; a record holds one")
	}
	if err := b.take(head.Type, line); err != nil {
		return fmt.Errorf("%s: %w", head.Type, err)
	}
	return nil
}

func (b *builder) take(kind string, line []byte) error {
	switch {
	case kind == typeStarted:
		b.run.Started = &runtime.RunStarted{}
		return json.Unmarshal(line, b.run.Started)
	case kind == typeReady:
		var ready runtime.SandboxReady
		err := json.Unmarshal(line, &ready)
		b.run.Digest = ready.Digest
		return err
	case kind == typeMessage:
		return b.message(line)
	case kind == typeCompleted:
		return b.completed(line)
	case slices.Contains(typeEnds, kind):
		b.run.End = &runtime.RunEnded{}
		return json.Unmarshal(line, b.run.End)
	}
	return nil
}

func (b *builder) message(line []byte) error {
	var m runtime.ModelMessage
	if err := json.Unmarshal(line, &m); err != nil {
		return err
	}
	usage := llm.Usage{
		InputTokens:  m.Usage.InputTokens - m.Discarded.InputTokens,
		OutputTokens: m.Usage.OutputTokens - m.Discarded.OutputTokens,
		CachedTokens: m.Usage.CachedTokens - m.Discarded.CachedTokens,
	}
	b.run.Turns = append(b.run.Turns, Turn{Response: llm.Response{
		Message:      llm.Message{Role: llm.RoleAssistant, Text: m.Text, ToolCalls: m.ToolCalls},
		FinishReason: m.FinishReason, Model: m.Model, Usage: usage, Discarded: m.Discarded,
	}})
	return nil
}

// interrupted is the status of a call that the end of its run cut short. What it
// would have come to is not known.
const interrupted = "interrupted"

func (b *builder) completed(line []byte) error {
	var c runtime.ToolCompleted
	if err := json.Unmarshal(line, &c); err != nil {
		return err
	}
	if len(b.run.Turns) == 0 {
		return errors.New("a call before any answer of the model")
	}
	last := &b.run.Turns[len(b.run.Turns)-1]
	if c.Status != interrupted {
		last.Results = append(last.Results, Result{
			ID: c.ID, Output: c.Output, Outcome: Outcome{Status: c.Status, ExitCode: c.ExitCode, Images: c.Images},
		})
	}
	return nil
}

func (b *builder) finish() (*Run, error) {
	switch {
	case b.run.Started == nil:
		return nil, fmt.Errorf("%s: the record holds no run", b.run.Name)
	case len(b.run.Turns) == 0:
		return nil, fmt.Errorf("%s: the model gave no answer that could be replayed", b.run.Name)
	case b.run.End == nil:
		b.run.Notes = append(b.run.Notes, "the record has no end: the run was killed")
	}
	b.run.Task = b.run.Started.Task
	return b.run, nil
}
