package config_test

import (
	"path/filepath"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/cmd/config"
	"drydock/sandbox"
)

func TestNothingConfiguredIsTheDefault(t *testing.T) {
	w := newWorld(t)
	cfg, origins := w.mustLoad()
	want := config.Default()
	want.Run.RunsDir = filepath.Join(w.home, ".local/state/drydock/runs")
	assert.DeepEqual(t, cfg.Run, want.Run)
	assert.DeepEqual(t, cfg.Sandbox, want.Sandbox)
	assert.Equal(t, cfg.Sandbox.Network, sandbox.NetworkNone)
	for _, s := range config.Settings() {
		assert.Equal(t, origins[s.Key()].String(), "default", s.Key())
	}
}

func TestStrongerLayerWins(t *testing.T) {
	w := newWorld(t)
	step := func(want int64, origin string) {
		t.Helper()
		cfg, origins := w.mustLoad()
		assert.Equal(t, cfg.Sandbox.Pids, want)
		assert.Equal(t, origins["sandbox.pids"].String(), origin)
	}
	step(512, "default")
	w.user("[sandbox]\npids = 101\n")
	step(101, "user file "+w.userFile())
	w.project("[sandbox]\npids = 102\n")
	step(102, "project file "+filepath.Join(w.dir, "drydock.toml"))
	w.write(filepath.Join(w.dir, "given.toml"), "[sandbox]\npids = 103\n")
	w.env["DRYDOCK_CONFIG"] = "given.toml"
	step(103, "given file "+filepath.Join(w.dir, "given.toml"))
	w.env["DRYDOCK_PIDS"] = "104"
	step(104, "environment DRYDOCK_PIDS")
	w.args = []string{"--pids", "105", "--pids=106"}
	step(106, "flag --pids")
	w.env["DRYDOCK_PIDS"] = "" // an empty variable counts as unset
	w.args = nil
	step(103, "given file "+filepath.Join(w.dir, "given.toml"))
}

func TestLayersMixSettingBySetting(t *testing.T) {
	w := newWorld(t)
	w.user("[llm]\nmodel = \"small\"\n[run]\ntimeout = \"1h30m\"\n")
	w.project("[run]\nmax_turns = 7\n")
	w.env["DRYDOCK_CPUS"] = "1.5"
	w.args = []string{"--memory", "3g"}
	cfg, _ := w.mustLoad()
	assert.Equal(t, cfg.LLM.Model, "small")
	assert.Equal(t, cfg.Run.Timeout, 90*time.Minute)
	assert.Equal(t, cfg.Run.MaxTurns, 7)
	assert.Equal(t, cfg.Sandbox.CPUs, 1.5)
	assert.Equal(t, cfg.Sandbox.MemoryBytes, int64(3<<30))
}

func TestConfigFlagBeatsItsVariableAndReplacesTheProjectFile(t *testing.T) {
	w := newWorld(t)
	w.project("[run]\nmax_turns = 1\nmax_tokens = 1\n")
	w.write(filepath.Join(w.dir, "a.toml"), "[run]\nmax_turns = 2\n")
	w.write(filepath.Join(w.home, "b.toml"), "[run]\nmax_turns = 3\n")
	w.env["DRYDOCK_CONFIG"] = "a.toml"
	w.args = []string{"--config", "~/b.toml"}
	cfg, _ := w.mustLoad()
	assert.Equal(t, cfg.Run.MaxTurns, 3)
	assert.Equal(t, cfg.Run.MaxTokens, 0)
}

func TestGivenFileMustExist(t *testing.T) {
	w := newWorld(t)
	w.args = []string{"--config", "nosuch.toml"}
	assert.Equal(t, w.refused(), "--config: no such file: nosuch.toml")
	w.args, w.env["DRYDOCK_CONFIG"] = nil, "nosuch.toml"
	assert.Equal(t, w.refused(), "DRYDOCK_CONFIG: no such file: nosuch.toml")
	w.env["DRYDOCK_CONFIG"] = w.dir
	assert.Equal(t, w.refused(), "DIR: it is not a regular file")
}

func TestXDGDirectories(t *testing.T) {
	w := newWorld(t)
	w.write(filepath.Join(w.dir, "xdg", "drydock", "config.toml"), "[run]\nmax_turns = 4\n")
	w.env["XDG_CONFIG_HOME"] = filepath.Join(w.dir, "xdg")
	w.env["XDG_STATE_HOME"] = filepath.Join(w.dir, "state")
	cfg, _ := w.mustLoad()
	assert.Equal(t, cfg.Run.MaxTurns, 4)
	assert.Equal(t, cfg.Run.RunsDir, filepath.Join(w.dir, "state", "drydock", "runs"))

	// The specification has relative ones ignored.
	w.env["XDG_CONFIG_HOME"], w.env["XDG_STATE_HOME"] = "xdg", "state"
	cfg, _ = w.mustLoad()
	assert.Equal(t, cfg.Run.MaxTurns, 0)
	assert.Equal(t, cfg.Run.RunsDir, filepath.Join(w.home, ".local", "state", "drydock", "runs"))
}

func TestRelativePathsStartWhereTheyAreWritten(t *testing.T) {
	w := newWorld(t)
	w.user("[run]\nruns_dir = \"runs\"\n")
	cfg, _ := w.mustLoad()
	assert.Equal(t, cfg.Run.RunsDir, filepath.Join(filepath.Dir(w.userFile()), "runs"))
	w.env["DRYDOCK_RUNS_DIR"] = "runs"
	cfg, _ = w.mustLoad()
	assert.Equal(t, cfg.Run.RunsDir, filepath.Join(w.dir, "runs"))
	w.args = []string{"--runs-dir", "~/runs", "--model", "script:turns.jsonl"}
	cfg, _ = w.mustLoad()
	assert.Equal(t, cfg.Run.RunsDir, filepath.Join(w.home, "runs"))
	assert.Equal(t, cfg.LLM.Model, "script:"+filepath.Join(w.dir, "turns.jsonl"))
}

func TestVariablesOfTheSandboxAddUp(t *testing.T) {
	w := newWorld(t)
	w.user("[sandbox.env]\nA = \"user\"\nB = \"user\"\n")
	w.project("[sandbox.env]\nB = \"project\"\n")
	w.env["DRYDOCK_ENV"] = "C=x y\nD=a=b"
	w.args = []string{"--env", "D=flag", "--env", "E="}
	cfg, origins := w.mustLoad()
	assert.DeepEqual(t, cfg.Sandbox.Env, map[string]string{"A": "user", "B": "project", "C": "x y", "D": "flag", "E": ""})
	assert.Equal(t, origins["sandbox.env"].String(), "flag --env")
	assert.Equal(t, len(config.Default().Sandbox.Env), 0)
}

func TestMountsAddUp(t *testing.T) {
	w := newWorld(t)
	src := filepath.Join(w.dir, "data")
	w.write(filepath.Join(src, "x"), "")
	w.env["DRYDOCK_MOUNT"] = "data:/a\ndata:/b"
	w.args = []string{"--mount", "data/:/b/:rw", "--mount", src + ":/c:ro"}
	cfg, _ := w.mustLoad()
	assert.DeepEqual(t, cfg.Sandbox.Mounts, []sandbox.Mount{
		{Source: src, Target: "/a"}, {Source: src, Target: "/b", Writable: true}, {Source: src, Target: "/c"},
	})
}
