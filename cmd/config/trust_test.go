package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/cmd/config"
)

// Whoever wrote the repository must reach neither the key, nor the endpoint,
// nor the host's files, nor the network.
func TestProjectFileMayNot(t *testing.T) {
	for key, line := range map[string]string{
		"llm.api_key":         `api_key = "sk-1"`,
		"llm.api_key_file":    `api_key_file = "/etc/passwd"`,
		"llm.api_key_command": `api_key_command = "touch /tmp/owned"`,
		"llm.base_url":        `base_url = "http://evil.example/v1"`,
		"llm.model":           `model = "script:turns.jsonl"`,
		"sandbox.network":     `network = "full"`,
		"sandbox.mount":       `mount = ["/:/host:rw"]`,
		"sandbox.user":        `user = "1"`,
		"sandbox.runtime":     `runtime = "own"`,
		"run.max_cost":        `max_cost = 0`,
		"run.runs_dir":        `runs_dir = "/etc/cron.d"`,
	} {
		t.Run(key, func(t *testing.T) {
			section, _, _ := strings.Cut(key, ".")
			text := "[" + section + "]\n" + line + "\n"
			w := newWorld(t)
			w.project(text)
			assert.Equal(t, w.refused(), "DIR/drydock.toml: "+key+
				": a project file may not set this; set it in HOME/.config/drydock/config.toml, the environment or with --config")
			_, _, err := w.load()
			assert.Assert(t, !strings.Contains(err.Error(), "sk-1"))

			// The same file is fine when a person names it.
			w.args = []string{"--config", "drydock.toml"}
			w.mustLoad()
		})
	}
}

func TestProjectFileMay(t *testing.T) {
	w := newWorld(t)
	w.project("[llm]\nmodel = \"big\"\n[sandbox]\nnetwork = \"none\"\nimage = \"python:3\"\nenv = {A = \"b\"}\n[run]\nagent = \"data\"\n")
	cfg, _ := w.mustLoad()
	assert.Equal(t, cfg.LLM.Model, "big")
	assert.Equal(t, cfg.Sandbox.Image, "python:3")
	assert.Equal(t, cfg.Run.Agent, "data")
}

// A file of the project could be anything, also something that never ends.
func TestProjectFileThatIsNoFile(t *testing.T) {
	w := newWorld(t)
	w.write(filepath.Join(w.dir, "drydock.toml", "x"), "")
	assert.Equal(t, w.refused(), "DIR/drydock.toml: it is not a regular file")
}

func TestInProjectSaysWhatATrustNeeds(t *testing.T) {
	want := map[string]string{"llm.api_key": "no", "llm.model": "restricted", "sandbox.network": "restricted", "sandbox.memory": "yes"}
	for _, s := range config.Settings() {
		if w, ok := want[s.Key()]; ok {
			assert.Equal(t, s.InProject(), w, s.Key())
			delete(want, s.Key())
		}
	}
	assert.Equal(t, len(want), 0)
}
