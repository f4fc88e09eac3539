package config_test

import (
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"
)

func TestAProfileGoesOverTheFilesAndBelowTheEnvironment(t *testing.T) {
	w := newWorld(t)
	w.user("[run]\nmax_turns = 5\n[profiles.ci.run]\nmax_turns = 6\nmax_tokens = 60\n[profiles.ci.llm]\nmodel = \"small\"\n")
	w.project("[run]\nmax_turns = 7\n[profiles.ci.run]\nmax_tokens = 70\n")
	cfg, _ := w.mustLoad()
	assert.Equal(t, cfg.Run.MaxTurns, 7)
	assert.DeepEqual(t, cfg.Profiles, []string{"ci"})

	w.env["DRYDOCK_PROFILE"] = "ci"
	cfg, origins := w.mustLoad()
	assert.Equal(t, cfg.Run.MaxTurns, 6)
	assert.Equal(t, cfg.Run.MaxTokens, 70) // the project's part of it is the stronger one
	assert.Equal(t, cfg.LLM.Model, "small")
	assert.Equal(t, origins["run.max_turns"].String(), "profile "+w.userFile())
	assert.Equal(t, origins["run.max_tokens"].String(), "profile "+filepath.Join(w.dir, "drydock.toml"))

	w.env["DRYDOCK_MAX_TURNS"] = "8"
	cfg, _ = w.mustLoad()
	assert.Equal(t, cfg.Run.MaxTurns, 8)
}

func TestAProfileOfAProjectMaySetWhatTheProjectMay(t *testing.T) {
	w := newWorld(t)
	w.project("[profiles.open.sandbox]\nnetwork = \"full\"\n")
	w.mustLoad() // nobody chose it
	w.args = []string{"--profile", "open"}
	assert.Equal(t, w.refused(), "DIR/drydock.toml: sandbox.network: a project file may not set this; set it in HOME/.config/drydock/config.toml, the environment or with --config")
}

func TestMistakesInNamedProfiles(t *testing.T) {
	for _, c := range []struct{ file, choose, want string }{
		{"", "ci", "--profile: there is no profile \"ci\"; no file has any, so write [profiles.ci.run] into HOME/.config/drydock/config.toml"},
		{"[profiles.nightly.run]\nmax_turns = 1", "nigtly", "--profile: there is no profile \"nigtly\"; did you mean nightly?; the profiles are: nightly"},
		{"[profiles]\nci = 1", "", "HOME/.config/drydock/config.toml: profiles.ci: it must be a table of sections: write [profiles.NAME.run]"},
		{"[profiles.ci.mcp.x]\ncommand = \"x\"", "ci", "HOME/.config/drydock/config.toml: profiles.ci.mcp: a profile cannot have this section; it can have llm, sandbox, run"},
		{"[profiles.ci.rnu]\nmax_turns = 1", "ci", "HOME/.config/drydock/config.toml: profiles.ci.rnu: there is no such section; did you mean run?"},
		{"[profiles.ci]\nrun = 1", "ci", "HOME/.config/drydock/config.toml: profiles.ci.run: it must be a table: write [profiles.ci.run]"},
		{"[profiles.ci.run]\nmax_turn = 1", "ci", "HOME/.config/drydock/config.toml: run.max_turn: there is no such key; did you mean max_turns?"},
	} {
		w := newWorld(t)
		w.user(c.file)
		if c.choose != "" {
			w.args = []string{"--profile", c.choose}
		}
		assert.Equal(t, w.refused(), c.want)
	}
}

func TestFlagsOfCommandsAreNotForProjects(t *testing.T) {
	w := newWorld(t)
	w.user("[commands.run]\nquiet = true\n")
	cfg, _ := w.mustLoad()
	assert.Equal(t, len(cfg.Commands), 1)
	w.project("[commands.run]\nrepo = \"/etc\"\n")
	assert.Equal(t, w.refused(), "DIR/drydock.toml: commands: a project file may not set flags of commands; set them in HOME/.config/drydock/config.toml, the environment or with --config")
}
