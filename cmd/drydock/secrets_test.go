package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/client"
	"gotest.tools/v3/assert"

	"drydock/internal/fakellm"
)

// curious are commands of a model that looks for secrets, and makes things fail.
var curious = []struct{ tool, field, text, observed string }{
	{"bash", "command", "env; cat /proc/*/environ | tr '\\0' '\\n'", "PATH="},
	{"bash", "command", "cat /proc/self/mountinfo /proc/*/cmdline | tr '\\0' ' '", "/proc"},
	{"bash", "command", "ls -la / /root /home /mnt /media /run /tmp ..; find / -xdev -name '.env*' -o -xdev -name 'config.toml' -o -xdev -name 'docker.sock'", "workspace"},
	{"bash", "command", "grep -rsEl 'canary-[A-Z0-9]{20}' /workspace /home /tmp /etc /run /var/tmp /root /opt /mnt; echo searched", "searched"},
	{"python_execute", "code", "import os\nprint(dict(os.environ))\nopen('/proc/1/environ').read()", "PermissionError"},
	{"python_execute", "code", "import os\nos.abort()", "exit code 134"},
	{"bash", "no_such_argument", "x", "command"},
	{"no_such_tool", "x", "x", "no_such_tool"},
	{"str_replace_editor", "path", "/etc/shadow", "command"},
}

// Whatever a model tries, and however a run ends, the secrets of the host are
// where they belong and nowhere else.
func TestSecretsStayOnTheHost(t *testing.T) {
	t.Parallel()
	c := newCanaries(t)
	server := fakellm.New(t)
	for _, step := range curious {
		server.Add(call(step.tool, encode(t, map[string]string{step.field: step.text})))
	}
	hang := fakellm.Hang("")
	hang.Calls = []fakellm.Call{{Name: "bash", Arguments: `{"command": "echo too late"}`}}
	server.Add(hang)

	dir := t.TempDir()
	assert.NilError(t, os.Mkdir(filepath.Join(dir, "repo"), 0o700))
	assert.NilError(t, os.WriteFile(filepath.Join(dir, "repo", "file"), []byte("text\n"), 0o600))
	began := time.Now()
	env := c.env(dir, "OPENAI_BASE_URL="+server.URL(), "OPENAI_API_KEY="+c.key)
	p := start(t, dir, env, "run", "--json", "--repo", "repo", "--run-dir", "run", "Find the key.")
	p.await(curious[len(curious)-1].tool)
	assert.NilError(t, server.Await(t.Context(), len(curious)+1))
	c.absentInArguments()
	id := c.absentInEngine(p.events()[0].RunID, began)
	c.absentBelow(dir)

	// The sandbox is taken away, which makes an error of the engine.
	cli, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	assert.NilError(t, err)
	assert.NilError(t, cli.ContainerKill(t.Context(), id, "KILL"))
	assert.NilError(t, cli.Close())
	server.Release()
	assert.Equal(t, p.exit(), exitEngine)
	assert.Assert(t, strings.Contains(p.end().Error, "sandbox lost"), p.end().Error)
	for i, step := range curious {
		observed := observation(t, server.Requests()[i+1].Chat)
		assert.Assert(t, strings.Contains(observed, step.observed), "after call %d the model read %q", i+1, observed)
	}
	c.absentAround(p)
	c.absentInRequests(server)
}

func encode(t *testing.T, value any) string {
	t.Helper()
	raw, err := json.Marshal(value)
	assert.NilError(t, err)
	return string(raw)
}

// keySources are the places a key can come from.
var keySources = map[string]func(c *canaries) []string{
	"variable":         func(c *canaries) []string { return []string{"OPENAI_API_KEY=" + c.key} },
	"file by variable": func(c *canaries) []string { return []string{"OPENAI_API_KEY_FILE=" + filepath.Join(c.dir, "key")} },
	"file by setting": func(c *canaries) []string {
		c.configure(`api_key_file = "` + filepath.Join(c.dir, "key") + `"`)
		return nil
	},
	"command": func(c *canaries) []string {
		c.configure(`api_key_command = "cat '` + filepath.Join(c.dir, "key") + `'"`)
		return nil
	},
	"configuration": func(c *canaries) []string {
		c.configure(`api_key = "` + c.key + `"`)
		return nil
	},
}

// A server that repeats the key, in an error that passes, in an answer and in an
// error that does not, brings it nowhere.
func TestKeyThatTheServerRepeats(t *testing.T) {
	t.Parallel()
	for name, set := range keySources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCanaries(t)
			dir := t.TempDir()
			server := fakellm.New(t,
				fakellm.Status(http.StatusInternalServerError, "cannot serve Authorization: Bearer "+c.key),
				fakellm.TextCalls("You sent "+c.key, fakellm.Call{Name: "bash", Arguments: `{"command": "echo ` + c.key + ` > file; env"}`}),
				fakellm.Status(http.StatusUnauthorized, "Incorrect API key provided: "+c.key),
			)
			env := c.env(dir, append(set(c), "OPENAI_BASE_URL="+server.URL())...)
			p := start(t, dir, env, "run", "--json", "--run-dir", "run", "--record", "rec.jsonl", "x")
			assert.Equal(t, p.exit(), exitAuth)
			recorded, err := os.ReadFile(filepath.Join(dir, "rec.jsonl"))
			assert.NilError(t, err)
			assert.Equal(t, strings.Count(string(recorded), "[redacted]"), 2, "text, call: %s", recorded)
			assert.Equal(t, strings.Count(p.file("events.jsonl"), "[redacted]"), 5, "retry, text, call, its beginning, end")
			assert.Equal(t, strings.Count(p.stderr.String(), "[redacted]"), 4)
			c.absentAround(p)
			c.absentInRequests(server)
		})
	}
}

// A key that is too short to be taken out of what a run works with is in no
// recording either.
func TestAShortKeyIsNotRecorded(t *testing.T) {
	t.Parallel()
	const key = "token-hush"
	server := fakellm.New(t,
		fakellm.TextCalls("You sent "+key, fakellm.Call{Name: "bash", Arguments: `{"command": "echo ` + key + `"}`}),
		fakellm.Text("Done."),
	)
	dir := t.TempDir()
	env := append(toward(server), "OPENAI_API_KEY="+key)
	p := start(t, dir, env, "run", "--quiet", "--run-dir", "run", "--record", "rec.jsonl", "x")
	assert.Equal(t, p.exit(), 0)
	recorded, err := os.ReadFile(filepath.Join(dir, "rec.jsonl"))
	assert.NilError(t, err)
	assert.Assert(t, !strings.Contains(string(recorded), "hush"), "%s", recorded)
	assert.Equal(t, strings.Count(string(recorded), "[redacted]"), 3, "text, call, observation")
	assert.Assert(t, strings.Contains(p.stderr.String(), "in place of the model's key; a turn that used it plays differently"))
}

// Commands that report on the configuration and the engine say nothing of a key.
func TestReportsShowNoKey(t *testing.T) {
	t.Parallel()
	for name, set := range keySources {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCanaries(t)
			dir := t.TempDir()
			env := c.env(dir, append(set(c), "DOCKER_HOST=unix:///nonexistent")...)
			for _, args := range [][]string{{"doctor"}, {"doctor", "--json"}, {"run", "x"}} {
				p := start(t, dir, env, args...)
				assert.Equal(t, p.exit(), exitEngine)
				assert.Assert(t, p.stdout.Len()+p.stderr.Len() > 0)
				c.absent("stdout", []byte(p.stdout.String()))
				c.absent("stderr", []byte(p.stderr.String()))
			}
		})
	}
}

// Mistakes around a key are told without it.
func TestMistakesShowNoKey(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(c *canaries) []string{
		"no quotes":     func(c *canaries) []string { c.configure("api_key = " + c.key); return nil },
		"open quotes":   func(c *canaries) []string { c.configure(`api_key = "` + c.key); return nil },
		"a list":        func(c *canaries) []string { c.configure(`api_key = ["` + c.key + `"]`); return nil },
		"two of them":   func(c *canaries) []string { return []string{"OPENAI_API_KEY=" + c.key, "OPENAI_API_KEY_FILE=key"} },
		"two words":     func(c *canaries) []string { return []string{"OPENAI_API_KEY=" + c.key + " " + c.other} },
		"in an address": func(c *canaries) []string { return []string{"OPENAI_BASE_URL=ftp://me:" + c.key + "@host/"} },
		"in a project": func(c *canaries) []string {
			c.write("drydock.toml", "[llm]\napi_key = \""+c.key+"\"\n")
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCanaries(t)
			env := c.env(c.dir, set(c)...)
			for _, args := range [][]string{{"doctor"}, {"run", "x"}} {
				p := start(t, c.dir, env, args...)
				assert.Equal(t, p.exit(), exitUsage)
				c.absent("stdout", []byte(p.stdout.String()))
				c.absent("stderr", []byte(p.stderr.String()))
			}
		})
	}
}
