package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/internal/fakellm"
)

// A run's cost is counted by the prices of its model, and can end it.
func TestCostEndsARun(t *testing.T) {
	t.Parallel()
	server := fakellm.New(t, call("bash", `{"command": "echo kept > file"}`).WithUsage(1_000_000, 0))
	dir := t.TempDir()
	assert.NilError(t, os.Mkdir(filepath.Join(dir, "repo"), 0o700))
	env := append(toward(server), "OPENAI_MODEL=gpt-4.1")
	p := start(t, dir, env, "run", "--quiet", "--max-cost", "1.5", "--repo", "repo", "--run-dir", "run", "x")
	assert.Equal(t, p.exit(), 3)
	end := p.end()
	assert.Equal(t, end.Reason, "max_cost")
	assert.Equal(t, end.Cost, 2.0)
	assert.Assert(t, strings.Contains(p.file("patch.diff"), "+kept\n"))
}

// What no longer fits is summed up by the model of the role, with its own key.
func TestSummariesAreAskedOfTheirProfile(t *testing.T) {
	t.Parallel()
	server := fakellm.New(t)
	for i := range 12 {
		server.Add(call("bash", fmt.Sprintf(`{"command": "echo %d; head -c 6000 /dev/zero | tr '\\0' x"}`, i)))
	}
	server.Add(call("terminate", `{"status": "success", "answer": "done"}`))
	small := fakellm.New(t)
	for range 12 {
		small.Add(fakellm.Text("SUMMED-UP so far."))
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "config.toml")
	profile := fmt.Sprintf("[llm.summary]\nmodel = \"small\"\nbase_url = %q\napi_key = \"sk-other-0123456789\"\n", small.URL())
	assert.NilError(t, os.WriteFile(file, []byte(profile), 0o600))

	p := start(t, dir, append(toward(server), "DRYDOCK_CONFIG="+file), "run", "--quiet", "--context-window", "8000", "--run-dir", "run", "Print much.")
	assert.Equal(t, p.exit(), 0)
	server.AssertAllValid(t)
	small.AssertKey(t, "sk-other-0123456789")
	assert.Assert(t, len(small.Requests()) > 0)
	assert.Equal(t, small.Requests()[0].Chat.Model, "small")
	requests := server.Requests()
	last := string(requests[len(requests)-1].Body)
	assert.Assert(t, strings.Contains(last, "SUMMED-UP") && strings.Contains(last, "Print much."))
	assertNoKey(t, p)
}
