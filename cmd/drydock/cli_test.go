package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The test binary is the program as well, so that signals, streams and exit
// codes are the real ones.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"drydock": main})
}

// TestScripts plays what a person types. Most scripts need a container engine
// with the base image.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                filepath.Join("testdata", "script"),
		Cmds:               scriptCommands,
		Condition:          scriptCondition,
		RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, isolated(env.WorkDir)...)
			env.Setenv("ENGINE", os.Getenv("DOCKER_HOST"))
			return nil
		},
	})
}

// isolated is an environment in which neither a developer's settings nor another
// test is seen; the engine is the machine's.
func isolated(dir string) []string {
	return []string{
		"HOME=" + filepath.Join(dir, "home"),
		"XDG_STATE_HOME=" + filepath.Join(dir, "state"),
		"XDG_CONFIG_HOME=" + filepath.Join(dir, "config"),
		"DOCKER_HOST=" + os.Getenv("DOCKER_HOST"),
	}
}
