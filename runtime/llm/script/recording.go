package script

import (
	"context"
	"fmt"
	"os"
	"sync"

	"drydock/runtime/llm"
)

// Recording is a script that is written while models answer. It is safe for
// concurrent use; then the order of the answers is that of the turns.
type Recording struct {
	path   string
	redact func(string) string

	mu    sync.Mutex
	file  *os.File
	size  int64 // of the whole lines
	turns int
	err   error // the first failure to write
}

// Record makes the file of a recording, readable by its owner only. A file that
// exists is refused with an error that is an fs.ErrExist. Every text passes
// through redact, which takes secrets out.
func Record(path string, redact func(string) string) (*Recording, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("record answers: %w", err)
	}
	return &Recording{path: path, redact: redact, file: file}, nil
}

// Of is a model that asks another one and records its answers. An answer is in
// the file, as a whole line, before it is returned. Answers that fail are not
// recorded. When an answer could not be written it is returned all the same,
// since it has been paid for, but the model is not asked again.
func (r *Recording) Of(m llm.Model) llm.Model { return recorded{r, m} }

type recorded struct {
	recording *Recording
	model     llm.Model
}

func (m recorded) Complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	if err := m.recording.Err(); err != nil {
		return llm.Response{}, err
	}
	resp, err := m.model.Complete(ctx, req)
	if err == nil {
		m.recording.add(Turn{Response: resp, Observed: observations(req.Messages)})
	}
	return resp, err
}

func (r *Recording) add(t Turn) {
	line, err := encodeTurn(r.clean(t))
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return
	}
	if err == nil && len(line) > maxLineBytes {
		err = fmt.Errorf("the turn takes more than %d MiB", maxLineBytes>>20)
	}
	if err == nil {
		_, err = r.file.WriteAt(line, r.size)
	}
	if err != nil {
		_ = r.file.Truncate(r.size) // the lines before stay a script
		r.err = fmt.Errorf("record answer %d in %s: %w", r.turns+1, r.path, err)
		return
	}
	r.size += int64(len(line))
	r.turns++
}

// clean takes the secrets out of all texts of a turn.
func (r *Recording) clean(t Turn) Turn {
	t.Response.Model = r.redact(t.Response.Model)
	t.Response.Message.Text = r.redact(t.Response.Message.Text)
	calls := make([]llm.ToolCall, 0, len(t.Response.Message.ToolCalls))
	for _, c := range t.Response.Message.ToolCalls {
		calls = append(calls, llm.ToolCall{ID: r.redact(c.ID), Name: r.redact(c.Name), Arguments: r.redact(c.Arguments)})
	}
	t.Response.Message.ToolCalls = calls
	observed := make([]string, 0, len(t.Observed))
	for _, text := range t.Observed {
		observed = append(observed, r.redact(text))
	}
	t.Observed = observed
	return t
}

// Err is the first failure to write, for example a full disk.
func (r *Recording) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Close ends the recording. A file without a turn is removed: it would be no
// script, and in the way of the next try.
func (r *Recording) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return r.err
	}
	if err := r.file.Close(); err != nil && r.err == nil {
		r.err = fmt.Errorf("record answers in %s: %w", r.path, err)
	}
	r.file = nil
	if r.turns == 0 {
		_ = os.Remove(r.path)
	}
	return r.err
}
