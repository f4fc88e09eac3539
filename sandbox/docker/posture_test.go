package docker_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/docker/docker/api/types/container"
	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// preface heads every golden file.
const preface = `# A sandbox of the level %s, from the inside and as the engine has it.
# Compared by TestPosture; rewritten with: go test ./sandbox/docker -run TestPosture -update
#
# The policy is the default one with one processor. Normalised, because the machine decides it:
# - the storage's type and options (ro and rw are kept); of other mounts the options shown are all that count
# - mounts below /proc and /sys, which follow kernel and engine; what they are for is tried instead
# - control group mounts, one line for all; on version 1 the tmpfs that holds them, which root alone can write to, is left out
# - interfaces that are down, resource limits that the policy does not set, what set-user-id programs there are
# - of the engine's view: fields that are empty, the lists of masked paths, AppArmor, the runtime's name
# - numbers of pipes and calls, the image's id, the values of labels
`

// What programs find around them and what the engine was told. A change of the
// isolation, wanted or not, is a difference in these files.
func TestPosture(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("testdata/posture.sh")
	assert.NilError(t, err)
	for _, level := range []sandbox.Level{sandbox.LevelStrict, sandbox.LevelStandard, sandbox.LevelRoot} {
		t.Run(string(level), func(t *testing.T) {
			t.Parallel()
			id := "test-posture-" + string(level)
			box := newBox(t, id, func(p *sandbox.Policy) {
				*p = sandbox.DefaultPolicy()
				p.Level, p.CPUs = level, 1
			})
			var b strings.Builder
			fmt.Fprintf(&b, preface, level)
			b.WriteString(run(t, box, "sh", "-c", string(script)))
			b.WriteString(surroundings(t, box))
			b.WriteString(engineView(t, "drydock-"+id))
			golden.Assert(t, b.String(), "posture-"+string(level)+".golden")
		})
	}
}

func run(t *testing.T, box *sandbox.Sandbox, argv ...string) string {
	t.Helper()
	res, err := box.Exec(t.Context(), wire.ExecRequest{Argv: argv})
	assert.NilError(t, err)
	return printed(t, res)
}

func printed(t *testing.T, res wire.Result) string {
	t.Helper()
	text := string(res.Head) + string(res.Tail)
	assert.Equal(t, res.Status, wire.StatusOK, "%s", text)
	assert.Equal(t, res.Dropped, int64(0))
	return text
}

// inherits lists the descriptors and the environment that a program got.
const inherits = `import os
for fd in sorted(os.listdir("/proc/self/fd"), key=int):
    try:
        print(fd, os.readlink("/proc/self/fd/" + fd))
    except FileNotFoundError:
        pass  # the one that listed the others
for name in sorted(os.environ):
    print(name + "=" + os.environ[name])
`

// surroundings is what programs inherit that each of the tools starts.
func surroundings(t *testing.T, box *sandbox.Sandbox) string {
	t.Helper()
	shell, err := box.Shell(t.Context(), "python3 -c '"+inherits+"'", 0, false)
	assert.NilError(t, err)
	python, err := box.Python(t.Context(), "import subprocess\nprint(subprocess.run(['python3', '-c', '''"+inherits+"'''], capture_output=True, text=True).stdout, end='')", 0, false)
	assert.NilError(t, err)
	return "\n## inherited from the guest\n" + stable(run(t, box, "python3", "-c", inherits)) +
		"\n## inherited from the shell\n" + stable(printed(t, shell)) +
		"\n## inherited from the interpreter\n" + stable(printed(t, python))
}

var numbers = regexp.MustCompile(`pipe:\[\d+\]|` + wire.RunDir + `/o[A-Z0-9]+|DRYDOCK_CALL=\w+`)

// stable names what is numbered anew each time.
func stable(text string) string {
	return numbers.ReplaceAllStringFunc(text, func(found string) string {
		switch {
		case strings.HasPrefix(found, "pipe:"):
			return "pipe:<n>"
		case strings.HasPrefix(found, "DRYDOCK_CALL="):
			return "DRYDOCK_CALL=<n>"
		}
		return wire.RunDir + "/<pipe>"
	})
}

// engineView is all that the engine was told about a container.
func engineView(t *testing.T, name string) string {
	t.Helper()
	info, err := api(t).ContainerInspect(t.Context(), name)
	assert.NilError(t, err)
	host, config := info.HostConfig, info.Config
	host.Runtime, host.MaskedPaths, host.ReadonlyPaths = "", nil, nil
	host.CapAdd, host.CapDrop = trimCaps(host.CapAdd), trimCaps(host.CapDrop)
	if host.RestartPolicy.Name == container.RestartPolicyDisabled {
		host.RestartPolicy.Name = "" // newer engines leave it out
	}
	config.Image = ""
	labels := slices.Sorted(maps.Keys(config.Labels))
	config.Labels = nil
	return "\n## the engine: host configuration\n" + fields(t, host) +
		"\n## the engine: container configuration\n" + fields(t, config) +
		fmt.Sprintf("Labels %q\n", labels) +
		fmt.Sprintf("Networks %q\n", slices.Sorted(maps.Keys(info.NetworkSettings.Networks))) +
		fmt.Sprintf("Ports %d, mounts %d, execs %d\n", len(info.NetworkSettings.Ports), len(info.Mounts), len(info.ExecIDs))
}

// fields prints what is not empty of a structure, a line for each field.
func fields(t *testing.T, value any) string {
	t.Helper()
	raw, err := json.Marshal(value)
	assert.NilError(t, err)
	var all map[string]any
	assert.NilError(t, json.Unmarshal(raw, &all))
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if full := withoutEmpty(all[name]); full != nil {
			text, err := json.Marshal(full)
			assert.NilError(t, err)
			fmt.Fprintf(&b, "%s %s\n", name, text)
		}
	}
	return b.String()
}

// withoutEmpty is a JSON value without its parts that say nothing, or nil.
func withoutEmpty(value any) any {
	switch v := value.(type) {
	case map[string]any:
		maps.DeleteFunc(v, func(_ string, inner any) bool { return withoutEmpty(inner) == nil })
		if len(v) == 0 {
			return nil
		}
	case []any:
		if !slices.ContainsFunc(v, func(inner any) bool { return withoutEmpty(inner) != nil }) {
			return nil
		}
	case string, float64, bool:
		if v == "" || v == 0.0 || v == false {
			return nil
		}
	}
	return value
}
