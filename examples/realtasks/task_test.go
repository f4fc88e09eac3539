package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// TestShippedTasks holds what is in the folder to the rules of its runner.
func TestShippedTasks(t *testing.T) {
	t.Parallel()
	tasks, err := loadTasks(".", "")
	assert.NilError(t, err)
	assert.Assert(t, len(tasks) >= 3)
	for _, task := range tasks {
		_, err := os.Stat(task.byHandFile())
		assert.NilError(t, err)
	}
}

func TestLoadTasksNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	valid := `
summary = "s"
package = "p"
suite = "bookworm"
patches = ["fix.patch"]
withhold = ["a.c"]
test = "make test"
fail_code = 2
prompt = "fix it"
[[expect]]
file = "a.c"
text = "x"
`
	tests := map[string]struct{ toml, want string }{
		"unknown key":     {"sumary = \"s\"\n" + valid, `unknown key "sumary"`},
		"no package":      {strings.Replace(valid, `"p"`, `""`, 1), "package is missing"},
		"no fix":          {strings.Replace(valid, `["fix.patch"]`, `[]`, 1), "at least one entry"},
		"no failing code": {strings.Replace(valid, "fail_code = 2", "", 1), "fail_code is missing"},
		"no turns":        {valid, "read turns"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			write(t, filepath.Join(root, "one", "task.toml"), tc.toml)
			_, err := loadTasks(root, "")
			assert.ErrorContains(t, err, tc.want)
		})
	}
	_, err := loadTasks(".", "no-such-task")
	assert.ErrorContains(t, err, "--list")
	_, err = loadTasks(t.TempDir(), "")
	assert.ErrorContains(t, err, "--tasks")
}

func TestCheckTurns(t *testing.T) {
	t.Parallel()
	const (
		test = `{"text":"t","tool_calls":[{"name":"bash","arguments":{"command":"make test"}}]}` + "\n"
		look = `{"text":"t","tool_calls":[{"name":"python_execute","arguments":{"code":"1"}}]}` + "\n"
		edit = `{"text":"t","tool_calls":[{"name":"str_replace_editor","arguments":{"command":"view","path":"/workspace"}}]}` + "\n"
		end  = `{"text":"t","tool_calls":[{"name":"terminate","arguments":{"status":"success"}}]}` + "\n"
	)
	tests := map[string]struct{ turns, want string }{
		"as it should be":   {test + look + edit + test + end, ""},
		"a tool unused":     {test + edit + test + end, "never use python_execute"},
		"tests only once":   {test + look + edit + end, "test command"},
		"does not end":      {test + look + edit + test, "terminate"},
		"not a JSON object": {test + "make test\n" + end, "line 2"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, filepath.Join(dir, "turns.jsonl"), tc.turns)
			err := checkTurns(task{Name: "one", Dir: dir, Test: "make test"})
			if tc.want == "" {
				assert.NilError(t, err)
				return
			}
			assert.ErrorContains(t, err, tc.want)
		})
	}
}

func TestMovedOnPackageIsSaidClearly(t *testing.T) {
	t.Parallel()
	tree := t.TempDir()
	write(t, filepath.Join(tree, "a.c"), "x = 1;\nx = 1;\n")
	for _, want := range []fragment{{"a.c", "y = 2;"}, {"a.c", "x = 1;"}, {"b.c", "x"}} {
		err := task{Package: "p", Expect: []fragment{want}}.checkFragments(tree)
		assert.ErrorContains(t, err, "p has moved on")
	}
	assert.NilError(t, task{Expect: []fragment{{"a.c", "x = 1;\nx"}}}.checkFragments(tree))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	assert.NilError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	assert.NilError(t, os.WriteFile(path, []byte(text), 0o644))
}
