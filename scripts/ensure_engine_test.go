package scripts_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// machine is a PATH with fake commands, which note their calls in a log. The
// engine answers once the file "up" exists.
type machine struct{ dir string }

// commands are the fakes that can be on a machine.
var commands = map[string]string{
	"docker":     `[ -e "$M/up" ] || { echo "${COMPLAINT:-Cannot connect to the Docker daemon}" >&2; exit 1; }`,
	"dockerd":    `echo dockerd >>"$M/calls"; echo "failed to mount" ; [ -e "$M/broken" ] || : >"$M/up"`,
	"mmdebstrap": ``,
	"apt-cache":  `exit 100`,
	"apt-get": `echo "apt-get $*" >>"$M/calls"
[ -e "$M/offline" ] && { echo "E: no network"; exit 100; }
case "$*" in *docker.io*) cp "$M/store/docker" "$M/store/dockerd" "$M/bin/" ;; *mmdebstrap*) cp "$M/store/mmdebstrap" "$M/bin/" ;; esac`,
	"systemctl": `case "$1" in show) [ -e "$M/systemd" ] ;; *) echo "systemctl $*" >>"$M/calls"; : >"$M/up" ;; esac`,
}

// newMachine has the named fakes, and of the real commands only what the
// script and the fakes are written with.
func newMachine(t *testing.T, uid string, installed ...string) machine {
	m := machine{t.TempDir()}
	for _, dir := range []string{"bin", "store"} {
		assert.NilError(t, os.Mkdir(filepath.Join(m.dir, dir), 0o755))
	}
	for name, body := range commands {
		script := []byte("#!/bin/sh\n" + body + "\n")
		assert.NilError(t, os.WriteFile(filepath.Join(m.dir, "store", name), script, 0o755))
	}
	for _, name := range installed {
		assert.NilError(t, os.Symlink(filepath.Join(m.dir, "store", name), filepath.Join(m.dir, "bin", name)))
	}
	id := []byte("#!/bin/sh\necho " + uid + "\n")
	assert.NilError(t, os.WriteFile(filepath.Join(m.dir, "bin", "id"), id, 0o755))
	for _, name := range []string{"sh", "sleep", "tail", "date", "cp", "setsid"} {
		real, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("needs %s", name)
		}
		assert.NilError(t, os.Symlink(real, filepath.Join(m.dir, "bin", name)))
	}
	return m
}

// has puts a mark that the fakes look for.
func (m machine) has(t *testing.T, mark string) {
	assert.NilError(t, os.WriteFile(filepath.Join(m.dir, mark), nil, 0o644))
}

// ensure runs the script and returns what it said, what it called, and whether
// it succeeded.
func (m machine) ensure(t *testing.T, env ...string) (said, calls string, ok bool) {
	cmd := exec.Command("/bin/sh", "ensure-engine.sh")
	cmd.Env = append([]string{
		"PATH=" + filepath.Join(m.dir, "bin"), "M=" + m.dir,
		"DRYDOCK_ENGINE_WAIT=20", "DRYDOCK_ENGINE_LOG=" + filepath.Join(m.dir, "log"),
	}, env...)
	out, err := cmd.CombinedOutput()
	raw, _ := os.ReadFile(filepath.Join(m.dir, "calls"))
	return string(out), string(raw), err == nil
}

func TestWithEverythingThereItIsSilentAndChangesNothing(t *testing.T) {
	m := newMachine(t, "0", "docker", "dockerd", "mmdebstrap", "apt-get", "systemctl")
	m.has(t, "up")
	said, calls, ok := m.ensure(t)
	assert.Assert(t, ok)
	assert.Equal(t, said+calls, "")
}

func TestAnEngineIsEnoughForSomebodyWhoIsNotRoot(t *testing.T) {
	m := newMachine(t, "1000", "docker", "apt-get")
	m.has(t, "up")
	said, calls, ok := m.ensure(t)
	assert.Assert(t, ok)
	assert.Equal(t, said+calls, "")
}

func TestRootGetsDockerInstalledAndStarted(t *testing.T) {
	m := newMachine(t, "0", "apt-get", "apt-cache", "systemctl")
	said, calls, ok := m.ensure(t)
	assert.Assert(t, ok, said)
	assert.Assert(t, strings.Contains(calls, "docker.io"), calls)
	assert.Assert(t, strings.Contains(calls, "mmdebstrap"), calls)
	assert.Equal(t, strings.Count(calls, "dockerd\n"), 1, calls)
	for line := range strings.Lines(said) {
		assert.Assert(t, strings.HasPrefix(line, "engine: "), said)
	}
	again, callsThen, ok := m.ensure(t)
	assert.Assert(t, ok)
	assert.Equal(t, again, "")
	assert.Equal(t, callsThen, calls)
}

func TestAnInstalledEngineIsStartedWithSystemdWhereItRuns(t *testing.T) {
	m := newMachine(t, "0", "docker", "dockerd", "mmdebstrap", "apt-get", "systemctl")
	m.has(t, "systemd")
	said, calls, ok := m.ensure(t)
	assert.Assert(t, ok, said)
	assert.Equal(t, calls, "systemctl start docker\n")
}

func TestWithoutAnEngineItFailsAndSaysWhatToDo(t *testing.T) {
	for _, tc := range []struct {
		name, uid string
		installed []string
		marks     []string
		env       []string
		want      string
		untouched bool // nothing may be installed or started
	}{
		{
			name: "not root", uid: "1000", installed: []string{"apt-get", "docker", "dockerd"},
			want: "install Docker 20.10 or newer and start it", untouched: true,
		},
		{
			name: "not in the group", uid: "1000", installed: []string{"docker"},
			env:  []string{"COMPLAINT=permission denied while trying to connect"},
			want: "add it to the group docker", untouched: true,
		},
		{
			name: "root without apt", uid: "0", installed: []string{"docker"},
			want: "install Docker 20.10 or newer and start it", untouched: true,
		},
		{
			name: "an engine named by the environment", uid: "0", installed: []string{"docker", "dockerd", "apt-get"},
			env:  []string{"DOCKER_HOST=tcp://far.example:2376"},
			want: "nothing answers where DOCKER_HOST", untouched: true,
		},
		{
			name: "no network", uid: "0", installed: []string{"apt-get", "apt-cache"}, marks: []string{"offline"},
			want: "E: no network\nengine: Docker could not be installed",
		},
		{
			name: "dockerd does not come up", uid: "0", installed: []string{"docker", "dockerd", "apt-get"},
			marks: []string{"broken"}, env: []string{"DRYDOCK_ENGINE_WAIT=1"},
			want: "failed to mount\nengine: Docker was started but does not answer: Cannot connect",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := newMachine(t, tc.uid, tc.installed...)
			for _, mark := range tc.marks {
				m.has(t, mark)
			}
			said, calls, ok := m.ensure(t, tc.env...)
			assert.Assert(t, !ok)
			assert.Assert(t, strings.Contains(said, tc.want), said)
			assert.Assert(t, !tc.untouched || calls == "", calls)
		})
	}
}

func TestImagesNeedARegistryWhereMmdebstrapCannotBeInstalled(t *testing.T) {
	m := newMachine(t, "0", "docker", "apt-get")
	m.has(t, "up")
	m.has(t, "offline")
	said, _, ok := m.ensure(t)
	assert.Assert(t, ok, "the engine is there")
	assert.Assert(t, strings.Contains(said, "images need a registry then"), said)
}
