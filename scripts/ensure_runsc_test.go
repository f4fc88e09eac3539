package scripts_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
)

// runscCommands are the fakes that know of a runtime. The engine's list is what
// it last read from its configuration.
var runscCommands = map[string]string{
	"docker": `cat "$M/loaded" 2>/dev/null || echo '{"runc":{}}'`,
	"runsc": `echo "runsc $*" >>"$M/calls"
[ -e "$M/unwritable" ] && { echo "permission denied" >&2; exit 1; }
for a; do case $a in --config_file=*) echo '{"runtimes": {"runsc":{}}}' >"${a#--config_file=}" ;; esac; done`,
	"apt-get": `echo "apt-get $*" >>"$M/calls"
[ -e "$M/offline" ] && { echo "E: no network"; exit 100; }
case "$*" in *runsc*) cp "$M/store/runsc" "$M/bin/" ;; esac`,
	// Like the real one it goes on at a hangup, and reads its configuration.
	"dockerd": `trap 'echo reloaded >>"$M/calls"; [ -e "$M/stubborn" ] || cp "$M/daemon.json" "$M/loaded"' HUP
echo ready; while :; do sleep 0.02; done`,
}

// newRuntimeMachine has an engine that runs, and the named fakes.
func newRuntimeMachine(t *testing.T, uid string, installed ...string) machine {
	m := newMachine(t, uid)
	for name, body := range runscCommands {
		path := filepath.Join(m.dir, "store", name)
		assert.NilError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755))
	}
	for _, name := range append(installed, "docker") {
		assert.NilError(t, os.Symlink(filepath.Join(m.dir, "store", name), filepath.Join(m.dir, "bin", name)))
	}
	for _, name := range []string{"cat", "mv", "rm"} {
		real, err := exec.LookPath(name)
		assert.NilError(t, err)
		assert.NilError(t, os.Symlink(real, filepath.Join(m.dir, "bin", name)))
	}
	// Under nohup the hangup is ignored, and a shell cannot change what it inherits.
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(hangups) })
	engine := exec.Command(filepath.Join(m.dir, "store", "dockerd"))
	engine.Env = []string{"PATH=" + filepath.Join(m.dir, "bin"), "M=" + m.dir}
	out, err := engine.StdoutPipe()
	assert.NilError(t, err)
	assert.NilError(t, engine.Start())
	t.Cleanup(func() { _ = engine.Process.Kill(); _ = engine.Wait() })
	_, err = bufio.NewReader(out).ReadString('\n') // from here on it takes a hangup
	assert.NilError(t, err)
	assert.NilError(t, os.WriteFile(filepath.Join(m.dir, "pid"), fmt.Append(nil, engine.Process.Pid), 0o644))
	return m
}

// register runs the script and returns what it said and called.
func (m machine) register(t *testing.T, env ...string) (said, calls string, ok bool) {
	cmd := exec.Command("/bin/sh", "ensure-runsc.sh")
	cmd.Env = append([]string{
		"PATH=" + filepath.Join(m.dir, "bin"), "M=" + m.dir, "DRYDOCK_ENGINE_WAIT=10",
		"DRYDOCK_DAEMON_JSON=" + filepath.Join(m.dir, "daemon.json"), "DRYDOCK_DAEMON_PID=" + filepath.Join(m.dir, "pid"),
	}, env...)
	out, err := cmd.CombinedOutput()
	raw, _ := os.ReadFile(filepath.Join(m.dir, "calls"))
	return string(out), string(raw), err == nil
}

func (m machine) read(name string) string {
	raw, _ := os.ReadFile(filepath.Join(m.dir, name))
	return string(raw)
}

func TestRunscIsInstalledAndRegisteredOnce(t *testing.T) {
	m := newRuntimeMachine(t, "0", "apt-get")
	const before = `{"mtu": 1400}`
	assert.NilError(t, os.WriteFile(filepath.Join(m.dir, "daemon.json"), []byte(before), 0o644))
	said, calls, ok := m.register(t)
	assert.Assert(t, ok, said)
	assert.Assert(t, strings.Contains(calls, "install -y --no-install-recommends runsc"), calls)
	assert.Assert(t, strings.Contains(calls, "--runtime=runsc -- --platform=ptrace --network=none"), calls)
	assert.Equal(t, strings.Count(calls, "reloaded"), 1, calls)
	assert.Equal(t, m.read("daemon.json.before-runsc"), before)
	for line := range strings.Lines(said) {
		assert.Assert(t, strings.HasPrefix(line, "runsc: "), said)
	}
	for _, change := range []string{"installing gVisor", m.dir + "/daemon.json, which is kept as", "by SIGHUP", "the engine has the runtime runsc"} {
		assert.Assert(t, strings.Contains(said, change), "%q is not told in %s", change, said)
	}

	again, callsThen, ok := m.register(t)
	assert.Assert(t, ok)
	assert.Equal(t, again, "")
	assert.Equal(t, callsThen, calls)
}

func TestRunscThatIsInstalledGetsAConfiguration(t *testing.T) {
	m := newRuntimeMachine(t, "0", "apt-get", "runsc")
	said, calls, ok := m.register(t, "DRYDOCK_RUNSC_ARGS=--platform=systrap")
	assert.Assert(t, ok, said)
	assert.Assert(t, !strings.Contains(calls, "apt-get") && strings.Contains(calls, "-- --platform=systrap\n"), calls)
	assert.Equal(t, m.read("daemon.json.before-runsc"), "")
}

func TestAnEngineThatDoesNotTakeRunscKeepsItsConfiguration(t *testing.T) {
	for name, before := range map[string]string{"one": `{"mtu": 1400}`, "none": ""} {
		t.Run(name, func(t *testing.T) {
			m := newRuntimeMachine(t, "0", "runsc")
			m.has(t, "stubborn")
			if before != "" {
				assert.NilError(t, os.WriteFile(filepath.Join(m.dir, "daemon.json"), []byte(before), 0o644))
			}
			said, _, ok := m.register(t, "DRYDOCK_ENGINE_WAIT=1")
			assert.Assert(t, !ok)
			assert.Assert(t, strings.Contains(said, "the engine did not take the runtime"), said)
			assert.Equal(t, m.read("daemon.json"), before)
		})
	}
}

func TestRunscIsRefusedWhereItCannotBeRegistered(t *testing.T) {
	for _, tc := range []struct {
		name, uid string
		installed []string
		marks     []string
		env       []string
		want      string
	}{
		{name: "not root", uid: "1000", installed: []string{"runsc"}, want: "only root can add a runtime"},
		{name: "an engine elsewhere", uid: "0", installed: []string{"runsc"}, env: []string{"DOCKER_HOST=ssh://far.example"}, want: "the engine is not on this machine"},
		{name: "no engine", uid: "0", installed: []string{"runsc"}, env: []string{"DRYDOCK_DAEMON_PID=/nonexistent"}, want: "no engine runs here"},
		{name: "another process", uid: "0", installed: []string{"runsc"}, marks: []string{"other"}, want: "no engine runs here"},
		{name: "no apt", uid: "0", want: "there is no apt-get"},
		{name: "no network", uid: "0", installed: []string{"apt-get"}, marks: []string{"offline"}, want: "E: no network\nrunsc: gVisor could not be installed"},
		{name: "a file that cannot be written", uid: "0", installed: []string{"runsc"}, marks: []string{"unwritable"}, want: "was not changed: permission denied"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := newRuntimeMachine(t, tc.uid, tc.installed...)
			for _, mark := range tc.marks {
				m.has(t, mark)
				if mark == "other" { // a hangup would end it
					assert.NilError(t, os.WriteFile(filepath.Join(m.dir, "pid"), fmt.Append(nil, os.Getpid()), 0o644))
				}
			}
			said, calls, ok := m.register(t, tc.env...)
			assert.Assert(t, !ok)
			assert.Assert(t, strings.Contains(said, tc.want), said)
			assert.Assert(t, !strings.Contains(calls, "reloaded"), calls)
			assert.Equal(t, m.read("daemon.json"), "")
		})
	}
}
