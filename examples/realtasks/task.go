package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"
)

// task is one task.toml.
type task struct {
	// Name is the task's directory name, Dir its absolute path.
	Name string `toml:"-"`
	Dir  string `toml:"-"`

	Summary string `toml:"summary"`
	Package string `toml:"package"`
	Suite   string `toml:"suite"`
	// Patches are globs over the package's quilt series. They name the fix;
	// later patches of the series are left out of the tree.
	Patches []string `toml:"patches"`
	// Withhold are globs over the files the fix changes that the tree must
	// not have yet, so that only the fix's tests are there.
	Withhold []string `toml:"withhold"`
	Test     string   `toml:"test"`
	// FailCode is what Test exits with when tests fail, as opposed to when
	// the test runner itself could not run.
	FailCode int        `toml:"fail_code"`
	Prompt   string     `toml:"prompt"`
	Expect   []fragment `toml:"expect"`
}

// fragment is a text the recorded turns count on finding in a file.
type fragment struct {
	File string `toml:"file"`
	Text string `toml:"text"`
}

func (t task) turnsFile() string  { return filepath.Join(t.Dir, "turns.jsonl") }
func (t task) byHandFile() string { return filepath.Join(t.Dir, "by-hand.sh") }

// loadTasks reads every task under dir, or the one called only.
func loadTasks(dir, only string) ([]task, error) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("locate tasks: %w", err)
	}
	files, err := filepath.Glob(filepath.Join(root, "*", "task.toml"))
	if err != nil {
		return nil, fmt.Errorf("list tasks: %w", err)
	}
	var tasks []task
	for _, file := range files {
		if name := filepath.Base(filepath.Dir(file)); only != "" && name != only {
			continue
		}
		t, err := loadTask(file)
		if err != nil {
			return nil, err
		}
		if err := checkTurns(t); err != nil {
			return nil, err
		}
		tasks = append(tasks, t)
	}
	if len(tasks) == 0 && only != "" {
		return nil, fmt.Errorf("no task %q in %s: --list shows the names", only, dir)
	}
	if len(tasks) == 0 {
		return nil, fmt.Errorf("no tasks in %s: run from the repository's root or give --tasks", dir)
	}
	return tasks, nil
}

func loadTask(file string) (task, error) {
	dir := filepath.Dir(file)
	t := task{Name: filepath.Base(dir), Dir: dir}
	meta, err := toml.DecodeFile(file, &t)
	if err != nil {
		return t, fmt.Errorf("read %s: %w", file, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return t, fmt.Errorf("read %s: unknown key %q", file, unknown[0])
	}
	if err := t.validate(); err != nil {
		return t, fmt.Errorf("read %s: %w", file, err)
	}
	return t, nil
}

func (t task) validate() error {
	required := map[string]string{
		"summary": t.Summary, "package": t.Package, "suite": t.Suite, "test": t.Test, "prompt": t.Prompt,
	}
	for key, value := range required {
		if strings.TrimSpace(value) == "" {
			return fmt.Errorf("%s is missing", key)
		}
	}
	if len(t.Patches) == 0 || len(t.Withhold) == 0 || len(t.Expect) == 0 {
		return errors.New("patches, withhold and expect need at least one entry each")
	}
	if t.FailCode == 0 {
		return errors.New("fail_code is missing: a failing test cannot exit 0")
	}
	return nil
}

// checkFragments reports the first fragment that tree lacks.
func (t task) checkFragments(tree string) error {
	for _, want := range t.Expect {
		text, err := os.ReadFile(filepath.Join(tree, want.File))
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s has moved on: it no longer has %s; this task needs new turns", t.Package, want.File)
		}
		if err != nil {
			return fmt.Errorf("check the tree: %w", err)
		}
		if n := strings.Count(string(text), want.Text); n != 1 {
			return fmt.Errorf("%s has moved on: %s has %q %d times instead of once; this task needs new turns",
				t.Package, want.File, want.Text, n)
		}
	}
	return nil
}
