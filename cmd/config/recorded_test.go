package config_test

import (
	"testing"

	"gotest.tools/v3/assert"

	"drydock/cmd/config"
)

// again loads with what a run was recorded with.
func (w *world) again(recorded map[string]string) (config.Config, error) {
	w.recorded = recorded
	cfg, _, err := w.load()
	return cfg, err
}

func TestARecordHoldsNoSecretAndNothingOfTheModel(t *testing.T) {
	w := newWorld(t)
	w.env["OPENAI_API_KEY"] = "sk-hush"
	w.args = []string{"--env", "B=hush", "--env", "A=hush", "--memory", "1g"}
	cfg, _ := w.mustLoad()
	recorded := config.Record(cfg)
	assert.Equal(t, recorded["sandbox.env"], "A, B")
	assert.Equal(t, recorded["sandbox.memory"], "1g")
	for key := range recorded {
		assert.Assert(t, key[:4] != "llm.", key)
	}
}

// A record is read as it was written: nothing differs.
func TestARecordIsLoadedAgain(t *testing.T) {
	w := newWorld(t)
	w.args = []string{"--memory", "1536m", "--cpus", "1.5", "--timeout", "90", "--max-turns", "7", "--agent", "data", "--image", "python:3", "--level", "strict"}
	cfg, _ := w.mustLoad()
	recorded := config.Record(cfg)
	w.args = nil
	again, err := w.again(recorded)
	assert.NilError(t, err)
	assert.Equal(t, len(config.Differences(again, recorded)), 0)

	// It is stronger than files and variables, and weaker than flags.
	w.user("[sandbox]\npids = 99\nmemory = \"3g\"\n")
	w.env["DRYDOCK_CPUS"] = "3"
	w.args = []string{"--max-turns", "8"}
	again, err = w.again(recorded)
	assert.NilError(t, err)
	differences := config.Differences(again, recorded)
	assert.Equal(t, len(differences), 1)
	assert.Equal(t, differences[0].Setting.Key(), "run.max_turns")
	assert.Equal(t, differences[0].Recorded, "7")
	assert.Equal(t, differences[0].Now, "8")
}

// Whoever wrote a record reaches no more than a project file does.
func TestARecordMayNot(t *testing.T) {
	for key, value := range map[string]string{
		"llm.base_url":    "http://evil.example/v1",
		"llm.api_key":     "sk-1",
		"sandbox.network": "full",
		"sandbox.level":   "root",
		"sandbox.mount":   "/:/host:rw",
		"sandbox.env":     "LD_PRELOAD=/x",
		"sandbox.user":    "1:1",
		"sandbox.runtime": "own",
		"run.runs_dir":    "/etc/cron.d",
	} {
		w := newWorld(t)
		want, _ := w.mustLoad()
		got, err := w.again(map[string]string{key: value})
		assert.NilError(t, err)
		assert.DeepEqual(t, config.Record(got), config.Record(want))
		assert.Equal(t, got.LLM.BaseURL, "")
		assert.Equal(t, got.Run.RunsDir, want.Run.RunsDir)
		assert.Assert(t, !got.LLM.APIKey.IsSet())
	}
}

func TestAMistakeInARecordIsNamed(t *testing.T) {
	w := newWorld(t)
	_, err := w.again(map[string]string{"sandbox.memory": "lots", "no.such": "x"})
	assert.ErrorContains(t, err, `the record: sandbox.memory: "lots" is not a size`)
}
