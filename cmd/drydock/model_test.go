package main

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/internal/fakellm"
)

const testKey = "sk-hush-0123456789abcdef"

// toward are the variables that send a run to a server.
func toward(server *fakellm.Server) []string {
	return []string{"OPENAI_BASE_URL=" + server.URL(), "OPENAI_API_KEY=" + testKey, "OPENAI_MODEL=fake"}
}

func call(name, arguments string) fakellm.Turn {
	return fakellm.Calls(fakellm.Call{Name: name, Arguments: arguments})
}

// Whatever a model asks for, it is answered, and the run goes on to its end.
func TestRunAgainstAServer(t *testing.T) {
	t.Parallel()
	steps := []struct {
		turn     fakellm.Turn
		observed string // in what the model is told next
	}{
		{call("bash", `{"command": "echo one >> file; cat file"}`), "zero\none"},
		{call("python_execute", `{"code": "print(6*7)"}`), "42"},
		{call("str_replace_editor", `{"command": "str_replace", "path": "file", "old_str": "one", "new_str": "two"}`), "two"},
		{call("bash", `{"command": "ls`), "JSON"},
		{call("no_such_tool", `{}`), "no_such_tool"},
		{call("bash", `{"command": "echo oops >&2; false"}`), "exit code 1"},
		{call("terminate", `{"status": "success", "answer": "It is two."}`), ""},
	}
	server := fakellm.New(t)
	for _, s := range steps {
		server.Add(s.turn.WithUsage(10, 1))
	}
	dir := t.TempDir()
	assert.NilError(t, os.Mkdir(filepath.Join(dir, "repo"), 0o700))
	assert.NilError(t, os.WriteFile(filepath.Join(dir, "repo", "file"), []byte("zero\n"), 0o600))

	p := start(t, dir, toward(server), "run", "--repo", "repo", "--run-dir", "run", "Make it two.")
	assert.Equal(t, p.exit(), 0)
	assert.Equal(t, p.stdout.String(), "It is two.\n")

	server.AssertKey(t, testKey)
	server.AssertAllValid(t)
	requests := server.Requests()
	assert.Equal(t, len(requests), len(steps))
	assert.Equal(t, requests[0].Chat.Model, "fake")
	assert.Equal(t, len(requests[0].Chat.Tools), 4)
	assert.Assert(t, strings.Contains(string(requests[0].Body), "Make it two."))
	for i, s := range steps[:len(steps)-1] {
		observed := observation(t, requests[i+1].Chat)
		assert.Assert(t, strings.Contains(observed, s.observed), "after call %d the model read %q", i+1, observed)
	}
	end := p.end()
	assert.Equal(t, end.Type, "run.completed")
	assert.Equal(t, end.ExitCode, 0)
	assert.Assert(t, strings.Contains(p.file("patch.diff"), "\n zero\n+two\n"))
	assert.Equal(t, p.file("answer.md"), "It is two.\n")
	assertNoKey(t, p)
}

// observation is the newest tool message of a request.
func observation(t *testing.T, chat fakellm.Chat) string {
	t.Helper()
	for i := len(chat.Messages) - 1; i >= 0; i-- {
		if chat.Messages[i].Role == "tool" {
			return chat.Messages[i].Text()
		}
	}
	t.Fatal("there is no tool message")
	return ""
}

// assertNoKey looks for the key in everything that the program left behind.
func assertNoKey(t *testing.T, p *process) {
	t.Helper()
	assert.Assert(t, !strings.Contains(p.stdout.String()+p.stderr.String(), "hush"))
	files := 0
	assert.NilError(t, filepath.WalkDir(p.dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		files++
		raw, err := os.ReadFile(name)
		assert.Assert(t, !strings.Contains(string(raw), "hush"), "the key is in %s", name)
		return err
	}))
	assert.Assert(t, files > 0)
}

func TestServerThatFails(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		turns []fakellm.Turn
		code  int
		says  string
	}{
		"refuses the key": {[]fakellm.Turn{fakellm.Status(http.StatusUnauthorized, "Incorrect API key provided: "+testKey)}, 4, "model key missing or refused"},
		"is broken":       {[]fakellm.Turn{fakellm.HTMLPage(500), fakellm.HTMLPage(502)}, 5, "502"},
		"has no model":    {[]fakellm.Turn{fakellm.ErrorCode(404, "model_not_found", "The model does not exist")}, 5, "does not exist"},
		"has no quota":    {[]fakellm.Turn{fakellm.ErrorCode(429, "insufficient_quota", "You exceeded your quota")}, 5, "quota"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := fakellm.New(t, tt.turns...)
			p := start(t, t.TempDir(), toward(server), "run", "--quiet", "--max-attempts", "2", "--run-dir", "run", "x")
			assert.Equal(t, p.exit(), tt.code)
			assert.Equal(t, p.stdout.String(), "")
			assert.Equal(t, strings.Count(p.stderr.String(), "\n"), 1, p.stderr.String())
			assert.Assert(t, strings.Contains(p.stderr.String(), tt.says), p.stderr.String())
			end := p.end()
			assert.Equal(t, end.Type, "run.failed")
			assert.Equal(t, end.ExitCode, tt.code)
			assert.Assert(t, end.Error != "")
			assertNoKey(t, p)
		})
	}
}

// A server that is not there is the endpoint's failure, in one line.
func TestServerThatIsNotThere(t *testing.T) {
	t.Parallel()
	server := fakellm.Start()
	env := toward(server)
	server.Close()
	p := start(t, t.TempDir(), env, "run", "--quiet", "--max-attempts", "1", "--run-dir", "run", "x")
	assert.Equal(t, p.exit(), 5)
	assert.Equal(t, strings.Count(p.stderr.String(), "\n"), 1, p.stderr.String())
}
