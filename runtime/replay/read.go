package replay

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"drydock/runtime"
	"drydock/runtime/llm/script"
)

// maxLine bounds an event, in bytes. Answers and outputs are far smaller.
const maxLine = 64 << 20

// ErrLive means that the run goes on, so that its record is not complete.
var ErrLive = errors.New("it is not over; replay it when it is")

// Find reads what a person names: a run by its id, a unique prefix of it or the
// path of its directory, or a file: the event log of a run, or a recording. The
// directory is that of the run, and empty for a file.
func Find(root, name string) (run *Run, dir string, err error) {
	if isFile(name) && strings.ContainsRune(name, filepath.Separator) {
		run, err = readFile(name)
		return run, "", err
	}
	found, err := runtime.FindRunDir(root, name)
	if errors.Is(err, runtime.ErrNoRun) && isFile(name) {
		run, err = readFile(name)
		return run, "", err
	}
	if err != nil {
		return nil, "", err
	}
	run, err = readLog(found.File(runtime.EventsFile), "run "+found.ID)
	if err != nil {
		return nil, "", err
	}
	if patch := found.File(runtime.PatchFile); isFile(patch) {
		run.Patch = patch
	}
	return run, found.Path, nil
}

func isFile(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.Mode().IsRegular()
}

// readFile tells a log from a recording by its first line.
func readFile(name string) (*Run, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("read record: %w", err)
	}
	head, err := bufio.NewReader(io.LimitReader(file, maxLine)).ReadBytes('\n')
	_ = file.Close()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read record: %w", err)
	}
	var first struct{ Type string }
	if json.Unmarshal(head, &first) == nil && first.Type != "" {
		return readLog(name, name)
	}
	return readRecording(name)
}

// readRecording takes the answers and observations of a recording. The results
// of a turn's calls are what was observed first before the next one.
func readRecording(name string) (*Run, error) {
	model, err := script.Load(name)
	if err != nil {
		return nil, err
	}
	turns := model.Turns()
	if len(turns[0].Observed) == 0 {
		return nil, fmt.Errorf("%s: it does not say what was observed, so there is nothing to compare; play it with 'drydock run --model script:%s TASK'", name, name)
	}
	run := &Run{Name: name, Task: turns[0].Observed[0], script: model}
	for i, t := range turns {
		turn := Turn{Response: t.Response}
		for n, call := range t.Response.Message.ToolCalls {
			if i+1 < len(turns) && n < len(turns[i+1].Observed) {
				turn.Results = append(turn.Results, Result{ID: call.ID, Output: turns[i+1].Observed[n]})
			}
		}
		run.Turns = append(run.Turns, turn)
	}
	return run, nil
}

// readLog reads an event log.
func readLog(path, name string) (*Run, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("%s: it belongs to another user: %w", name, err)
	}
	if err != nil {
		return nil, fmt.Errorf("read record: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxLine)
	b := builder{run: &Run{Name: name}}
	number := 0
	for lines.Scan() {
		number++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if b.cut != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, number-1, b.cut)
		}
		if err := b.add(line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s:%d: the line is longer than %d MiB", path, number+1, maxLine>>20)
	} else if err != nil {
		return nil, fmt.Errorf("read record %s: %w", path, err)
	}
	if b.run.End == nil && runtime.Live(file) {
		return nil, fmt.Errorf("%s: %w", name, ErrLive)
	}
	return b.finish()
}
