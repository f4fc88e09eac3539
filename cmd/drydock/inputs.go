package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"drydock/agents"
	"drydock/cmd/suggest"
)

// maxTask bounds a task's text; a longer one is a mistaken file.
const maxTask = 1 << 20

// readTask takes the task from the argument, a file or standard input.
func readTask(streams Streams, flags runFlags, args []string) (string, error) {
	if len(args) == 1 && flags.taskFile != "" {
		return "", usageError{errors.New("give the task as an argument or with --task-file, not both")}
	}
	var text []byte
	var err error
	switch {
	case flags.taskFile != "":
		text, err = readTaskFile(flags.taskFile)
	case len(args) == 1 && args[0] == "-":
		text, err = io.ReadAll(io.LimitReader(streams.In, maxTask+1))
	case len(args) == 1:
		text = []byte(args[0])
	}
	if err != nil {
		return "", usageError{fmt.Errorf("read the task: %w", err)}
	}
	task := strings.TrimSpace(string(text))
	switch {
	case task == "":
		return "", usageError{errors.New(`no task given; say what to do: drydock run --repo . "fix the failing test"`)}
	case len(text) > maxTask:
		return "", usageError{fmt.Errorf("the task is over %d bytes", maxTask)}
	case !utf8.ValidString(task):
		return "", usageError{errors.New("the task is not UTF-8 text")}
	}
	return task, nil
}

// readTaskFile reads no more than a task can be: the file may be a device.
func readTaskFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, maxTask+1))
}

// loadPreset finds the agent that was asked for.
func loadPreset(name, tools string) (agents.Preset, error) {
	preset, err := agents.LoadPreset(name)
	if err != nil {
		return agents.Preset{}, usageError{fmt.Errorf("--agent: %w%s", err, suggest.DidYouMean(name, agents.PresetNames()))}
	}
	preset, err = preset.WithTools(strings.FieldsFunc(tools, func(r rune) bool { return r == ',' || r == ' ' }))
	if err != nil {
		return agents.Preset{}, usageError{fmt.Errorf("--tools: %w", err)}
	}
	return preset, nil
}

// checkArtifacts refuses paths that can be in no sandbox, or mean a file of the
// host by mistake.
func checkArtifacts(paths []string) error {
	for _, p := range paths {
		switch clean := path.Clean(p); {
		case p == "" || strings.Contains(p, "\x00") || len(p) >= 4096:
			return usageError{fmt.Errorf("--artifact: %.60q is not a path", p)}
		case clean == ".." || strings.HasPrefix(clean, "../"):
			return usageError{fmt.Errorf("--artifact: %q leads out of the workspace; give an absolute path", p)}
		}
	}
	return nil
}

// checkRepo makes --repo absolute and refuses what cannot be copied.
func checkRepo(repo string) (string, error) {
	if repo == "" {
		return "", nil
	}
	path, err := filepath.Abs(repo)
	if err != nil {
		return "", usageError{fmt.Errorf("--repo: %w", err)}
	}
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", usageError{fmt.Errorf("--repo: %s does not exist", repo)}
	case err != nil:
		return "", usageError{fmt.Errorf("--repo: %w", err)}
	case !st.IsDir():
		return "", usageError{fmt.Errorf("--repo: %s is not a directory", repo)}
	}
	return path, nil
}

// checkOutside refuses to keep a run in the tree that is copied into the
// sandbox: what the model may read would include its own log, and earlier ones.
func checkOutside(repo, runs string) error {
	if repo == "" {
		return nil
	}
	path, err := filepath.Abs(runs)
	if err != nil {
		return usageError{fmt.Errorf("--run-dir: %w", err)}
	}
	if rel, err := filepath.Rel(repo, path); err == nil && filepath.IsLocal(rel) {
		return usageError{fmt.Errorf("the run would be kept in %s, inside --repo; choose another place with --run-dir", runs)}
	}
	return nil
}
