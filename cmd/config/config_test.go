package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"gotest.tools/v3/assert"

	"drydock/cmd/config"
)

// world is a place to load a configuration from: a home, a current directory,
// variables and a command line.
type world struct {
	t    *testing.T
	home string
	dir  string
	env  map[string]string
	args []string

	recorded map[string]string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{t: t, home: t.TempDir(), dir: t.TempDir(), env: map[string]string{}}
}

// user, project and file write a configuration file.
func (w *world) user(text string) { w.write(w.userFile(), text) }

func (w *world) project(text string) { w.write(filepath.Join(w.dir, "drydock.toml"), text) }

func (w *world) userFile() string {
	return filepath.Join(w.home, ".config", "drydock", "config.toml")
}

func (w *world) write(name, text string) {
	w.t.Helper()
	assert.NilError(w.t, os.MkdirAll(filepath.Dir(name), 0o700))
	assert.NilError(w.t, os.WriteFile(name, []byte(text), 0o600))
}

func (w *world) load() (config.Config, config.Origins, error) {
	w.t.Helper()
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	config.AddFlags(flags)
	assert.NilError(w.t, flags.Parse(w.args))
	return config.Load(config.Sources{Flags: flags, Getenv: func(k string) string { return w.env[k] }, Dir: w.dir, Home: w.home, Recorded: w.recorded})
}

func (w *world) mustLoad() (config.Config, config.Origins) {
	w.t.Helper()
	cfg, origins, err := w.load()
	assert.NilError(w.t, err)
	return cfg, origins
}

// refused loads and gives the one mistake, without the directories of the test.
func (w *world) refused() string {
	w.t.Helper()
	_, _, err := w.load()
	var one *config.Error
	assert.Assert(w.t, errors.As(err, &one), "got %v", err)
	return strings.NewReplacer(w.dir, "DIR", w.home, "HOME").Replace(err.Error())
}
