package config_test

import (
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
)

// In files, every mistake names the file and the key.
func TestMistakesInFiles(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"section":           {"[sandbx]\n", "sandbx: there is no such section; did you mean sandbox?"},
		"section, far off":  {"[zzzzzzzzz]\n", "zzzzzzzzz: there is no such section"},
		"key":               {"[sandbox]\nmemroy = \"2g\"\n", "sandbox.memroy: there is no such key; did you mean memory?"},
		"key elsewhere":     {"[run]\nmemory = \"2g\"\n", "run.memory: there is no such key; did you mean sandbox.memory?"},
		"key on top":        {"memory = \"2g\"\n", "memory: there is no such section; did you mean sandbox.memory?"},
		"section no table":  {"sandbox = 3\n", "sandbox: it must be a table: write [sandbox]"},
		"section an array":  {"[[run]]\nmax_turns = 1\n", "run: it must be a table: write [run]"},
		"string for number": {"[sandbox]\npids = \"many\"\n", `sandbox.pids: "many" is not allowed; write a whole number, 32 to 2147483647`},
		"number for string": {"[llm]\nmodel = 4\n", "llm.model: it must be a string, not a number"},
		"boolean":           {"[sandbox]\nmemory = true\n", "sandbox.memory: it must be a number or string, not a boolean"},
		"date":              {"[run]\ntimeout = 2026-01-01\n", "run.timeout: it must be a number or string, not a date or time"},
		"string for array":  {"[sandbox]\nmount = \"/a:/b\"\n", "sandbox.mount: it must be an array of strings, not a string"},
		"array of numbers":  {"[sandbox]\nmount = [1]\n", "sandbox.mount: it must be an array of strings; there is a number in it"},
		"array for table":   {"[sandbox]\nenv = [\"A=b\"]\n", "sandbox.env: it must be a table of strings, not an array"},
		"number in table":   {"[sandbox.env]\nA = 1\n", "sandbox.env: A in it must be a string, not a number"},
		"fraction":          {"[run]\nmax_turns = 1.5\n", `run.max_turns: "1.5" is not allowed; write a whole number, 0 to 2147483647`},
		"negative":          {"[run]\nmax_turns = -1\n", `run.max_turns: "-1" is not allowed; write a whole number, 0 to 2147483647`},
		"not a number":      {"[sandbox]\ncpus = nan\n", `sandbox.cpus: "NaN" is not allowed; write a number, 0.01 to 4096`},
		"infinite":          {"[sandbox]\ncpus = inf\n", `sandbox.cpus: "+Inf" is not allowed; write a number, 0.01 to 4096`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.user(tt.text)
			assert.Equal(t, w.refused(), "HOME/.config/drydock/config.toml: "+tt.want)
		})
	}
}

// Flags and variables name the setting themselves.
func TestMistakesInFlags(t *testing.T) {
	for arg, want := range map[string]string{
		"--memory=lots":            `"lots" is not a size; write bytes or a unit, such as 512m, 2g or 2GiB`,
		"--memory=1":               "1 is out of range; allowed is 64m to 1024t",
		"--memory=-2g":             `"-2g" is not a size; write bytes or a unit, such as 512m, 2g or 2GiB`,
		"--memory=99999999999g":    "99999999999g is out of range; allowed is 64m to 1024t",
		"--memory=":                `"" is not a size; write bytes or a unit, such as 512m, 2g or 2GiB`,
		"--timeout=soon":           `"soon" is not a duration; write seconds or units, such as 90, 90s, 2m or 1h30m`,
		"--timeout=-5s":            "-5s is too short; at least 0 is needed",
		"--timeout=9999999999h":    `"9999999999h" is not a duration; write seconds or units, such as 90, 90s, 2m or 1h30m`,
		"--tool-timeout=0":         "0 is too short; at least 1ms is needed",
		"--tool-timeout=11m":       "11m is more than sandbox.max_tool_timeout, 10m",
		"--network=host":           `"host" is not a network; allowed are none and full`,
		"--user=root":              `"root" is not allowed; write UID or UID:GID as numbers, 1 to 2147483647`,
		"--user=0":                 `"0" is not allowed; write UID or UID:GID as numbers, 1 to 2147483647`,
		"--user=1000:0":            `"1000:0" is not allowed; write UID or UID:GID as numbers, 1 to 2147483647`,
		"--user=1:2:3":             `"1:2:3" is not allowed; write UID or UID:GID as numbers, 1 to 2147483647`,
		"--temperature=2.1":        `"2.1" is not allowed; write a number, 0 to 2`,
		"--max-attempts=0":         `"0" is not allowed; write a whole number, 1 to 1000`,
		"--model=":                 `"" names no model; write a name such as gpt-4.1, or script:FILE`,
		"--model=script:":          `"script:" names no model; write a name such as gpt-4.1, or script:FILE`,
		"--runs-dir=":              "the path is empty",
		"--image=a\nb":             `"a\nb" contains a line break or control character`,
		"--base-url=localhost:80":  "the value is not an http or https address such as http://localhost:8000/v1",
		"--base-url=http://h/?a=b": "the address must end with its path; it must not have a ? or # part",
		"--env=SECRET":             "there is no = in it; write NAME=VALUE",
		"--env=1A=x":               `"1A" is not a variable's name; write NAME=VALUE with letters, digits and _ in the name`,
		"--env=A=\x00":             "the value of A contains a NUL byte",
		"--mount=/a":               `"/a" is not a mount; write SRC:DST or SRC:DST:rw`,
		"--mount=/a:/b:rx":         `"/a:/b:rx" is not a mount; write SRC:DST or SRC:DST:rw`,
		"--mount=.:b":              `mount target "b" must be an absolute path below /`,
		"--mount=.:/a/..":          `mount target "/a/.." must be an absolute path below /`,
		"--mount=.:/workspace/":    "mount target /workspace is not free: the workspace is there; mount below it or elsewhere",
		"--mount=.:/proc/x":        "mount target /proc/x is not free: it belongs to the system of the sandbox",
		"--mount=nosuch:/b":        "mount source DIR/nosuch does not exist",
	} {
		t.Run(arg, func(t *testing.T) {
			w := newWorld(t)
			w.args = []string{arg}
			flag, _, _ := strings.Cut(arg, "=")
			assert.Equal(t, w.refused(), flag+": "+want)
		})
	}
}

func TestTwoMountsOfOneTargetAreRefused(t *testing.T) {
	w := newWorld(t)
	w.args = []string{"--mount", ".:/a", "--mount", ".:/a/"}
	assert.Equal(t, w.refused(), "--mount: /a is the target of two mounts")
}

// A socket of an engine would hand over the machine.
func TestSocketIsNoMount(t *testing.T) {
	w := newWorld(t)
	listener, err := net.Listen("unix", filepath.Join(w.dir, "s"))
	assert.NilError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	w.args = []string{"--mount", "s:/s"}
	assert.Equal(t, w.refused(), "--mount: mount source DIR/s is neither a directory nor a regular file")
}

func TestEveryMistakeIsTold(t *testing.T) {
	w := newWorld(t)
	w.user("[llm]\nmodell = \"x\"\n")
	w.project("[sandbox]\npids = 1\n")
	w.env["DRYDOCK_CPUS"] = "x"
	w.args = []string{"--memory", "y"}
	_, _, err := w.load()
	for _, part := range []string{"llm.modell", "sandbox.pids", "DRYDOCK_CPUS", "--memory"} {
		assert.ErrorContains(t, err, part)
	}
	assert.Equal(t, strings.Count(err.Error(), "\n"), 3)
}

func TestFileThatIsNotTOML(t *testing.T) {
	w := newWorld(t)
	w.user("[llm]\napi_key = \"sk-very-secret\nmodel = 3\n")
	got := w.refused()
	assert.Assert(t, strings.HasPrefix(got, "HOME/.config/drydock/config.toml:2: it is not TOML: "), got)
	assert.Assert(t, !strings.Contains(got, "sk-very"), got)

	w.user("a = \"" + strings.Repeat("x", 1<<20) + "\"")
	assert.Equal(t, w.refused(), "HOME/.config/drydock/config.toml: it is larger than 1m")
}

func TestSpellingsOfSizesAndDurations(t *testing.T) {
	for text, want := range map[string]int64{
		"512m": 512 << 20, "2g": 2 << 30, "2GiB": 2 << 30, "2GB": 2 << 30, "1.5g": 3 << 29, "1 t": 1 << 40, "67108864": 64 << 20,
	} {
		w := newWorld(t)
		w.args = []string{"--memory", text}
		cfg, _ := w.mustLoad()
		assert.Equal(t, cfg.Sandbox.MemoryBytes, want, text)
	}
	for text, want := range map[string]time.Duration{
		"90": 90 * time.Second, "0.5": 500 * time.Millisecond, "90s": 90 * time.Second, "1h30m": 90 * time.Minute, "0": 0,
	} {
		w := newWorld(t)
		w.args = []string{"--timeout", text}
		cfg, _ := w.mustLoad()
		assert.Equal(t, cfg.Run.Timeout, want, text)
	}
	w := newWorld(t)
	w.user("[sandbox]\nmemory = 134217728\nuser = 1001\n[run]\ntimeout = 2.5\n")
	cfg, _ := w.mustLoad()
	assert.Equal(t, cfg.Sandbox.MemoryBytes, int64(128<<20))
	assert.Equal(t, cfg.Run.Timeout, 2500*time.Millisecond)
	assert.Equal(t, [2]int{cfg.Sandbox.UID, cfg.Sandbox.GID}, [2]int{1001, 1001})
}
