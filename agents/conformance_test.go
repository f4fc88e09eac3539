package agents_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/agents"
	"drydock/runtime"
	"drydock/sandbox"
	"drydock/sandbox/docker"
	"drydock/sandbox/wire"
	"drydock/tools"
)

// TestConformance plays tables of calls against the tools in a real sandbox,
// one per row. DRYDOCK_CONFORMANCE names a directory of more tables; "all" adds
// the rows that are marked as slow. DRYDOCK_TEST_RUNTIME names another runtime
// than the engine's default.
func TestConformance(t *testing.T) {
	engine, err := docker.Connect(t.Context())
	assert.NilError(t, err)
	t.Cleanup(func() { _ = engine.Close() })
	policy := sandbox.DefaultPolicy()
	policy.MemoryBytes = 512 << 20
	policy.Runtime = os.Getenv("DRYDOCK_TEST_RUNTIME")
	dirs, slow := []string{"testdata/conformance"}, false
	switch more := os.Getenv("DRYDOCK_CONFORMANCE"); more {
	case "":
	case "all":
		slow = true
	default:
		dirs, slow = append(dirs, more), true
	}
	t.Run("rows", func(t *testing.T) {
		for _, dir := range dirs {
			files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
			assert.NilError(t, err)
			assert.Assert(t, len(files) > 0, "no tables in %s", dir)
			for _, file := range files {
				for _, r := range readRows(t, file) {
					if r.Slow && !slow {
						continue
					}
					t.Run(r.ID, func(t *testing.T) {
						t.Parallel()
						if r.NotSentry != "" && sandbox.SentryRuntime(policy.Runtime) {
							t.Skip(r.NotSentry)
						}
						playRow(t, engine, policy, r)
					})
				}
			}
		}
	})
}

// row is one line of a table. Kind groups rows that stand for the same sort of
// input; Covers names known failures of other systems (docs/tools.md).
type row struct {
	ID        string            `json:"id"`
	Kind      string            `json:"kind"`
	Why       string            `json:"why"`
	Covers    []string          `json:"covers"`
	Slow      bool              `json:"slow"`
	NotSentry string            `json:"not_sentry"` // why it does not apply under gVisor
	Files     map[string]string `json:"files"`
	FilesB64  map[string]string `json:"files_b64"`
	Modes     map[string]string `json:"modes"`
	Symlinks  map[string]string `json:"symlinks"`
	Calls     []struct {
		Tool string          `json:"tool"`
		Args json.RawMessage `json:"args"`
		Raw  string          `json:"raw"` // arguments that are no JSON
		Want want            `json:"want"`
	} `json:"calls"`
	WantFiles     map[string]string `json:"want_files"`
	WantFilesB64  map[string]string `json:"want_files_b64"`
	WantModes     map[string]string `json:"want_modes"`
	WantSymlinks  map[string]string `json:"want_symlinks"`
	WantAbsent    []string          `json:"want_absent"`
	WantNoProcess string            `json:"want_no_process"`
}

// want says how a call must end; keys that are absent are not looked at.
type want struct {
	Status      string   `json:"status"`
	ExitCode    *int     `json:"exit_code"`
	Output      *string  `json:"output"`
	Contains    []string `json:"contains"`
	NotContains []string `json:"not_contains"`
	MaxSeconds  float64  `json:"max_seconds"`
	MinSeconds  float64  `json:"min_seconds"`
	Images      *int     `json:"images"`
}

func readRows(t *testing.T, file string) []row {
	t.Helper()
	raw, err := os.ReadFile(file)
	assert.NilError(t, err)
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 16<<20)
	var rows []row
	for lines.Scan() {
		var r row
		assert.NilError(t, json.Unmarshal(lines.Bytes(), &r), "%s", file)
		rows = append(rows, r)
	}
	assert.NilError(t, lines.Err())
	return rows
}

func playRow(t *testing.T, engine sandbox.Engine, policy sandbox.Policy, r row) {
	box, err := new(sandbox.Client).Create(t.Context(), engine, "test-"+runtime.NewRunID(time.Now()), policy)
	assert.NilError(t, err)
	t.Cleanup(func() { assert.NilError(t, box.Close(context.Background())) })
	setUp(t, box, r)
	registry, err := agents.NewToolbox([]string{"bash", "python_execute", "str_replace_editor", "terminal", "terminate"}, box)
	assert.NilError(t, err)
	for i, call := range r.Calls {
		began := time.Now()
		arguments := call.Raw + string(call.Args)
		res, err := registry.Call(t.Context(), call.Tool, arguments)
		assert.NilError(t, err)
		checkCall(t, fmt.Sprintf("call %d: %.200s", i+1, arguments), res, call.Want, time.Since(began))
	}
	checkState(t, box, r)
}

// setUp makes the files of a row as the tool user.
func setUp(t *testing.T, box *sandbox.Sandbox, r row) {
	t.Helper()
	for name, content := range contents(t, r.Files, r.FilesB64) {
		sh(t, box, "mkdir -p "+quote(path.Dir(abs(name))))
		mode := uint64(0o644)
		if m := r.Modes[name]; m != "" {
			var err error
			mode, err = strconv.ParseUint(m, 8, 32)
			assert.NilError(t, err)
		}
		_, err := box.WriteFile(t.Context(), abs(name), content, wire.WriteOptions{Mode: uint32(mode), SetMod: true})
		assert.NilError(t, err)
	}
	for link, target := range r.Symlinks {
		sh(t, box, fmt.Sprintf("mkdir -p %s && ln -s %s %s", quote(path.Dir(abs(link))), quote(target), quote(abs(link))))
	}
	for name, mode := range r.Modes { // of directories too, and once all is inside
		sh(t, box, "chmod "+mode+" "+quote(abs(name)))
	}
}

func contents(t *testing.T, plain, encoded map[string]string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for name, text := range plain {
		all[name] = []byte(text)
	}
	for name, text := range encoded {
		raw, err := base64.StdEncoding.DecodeString(text)
		assert.NilError(t, err)
		all[name] = raw
	}
	return all
}

func checkCall(t *testing.T, what string, res tools.Result, w want, took time.Duration) {
	t.Helper()
	answer := tools.Render(res, 1<<20)
	if w.Status != "" {
		assert.Equal(t, string(res.Status), w.Status, "%s\n%.2000s", what, answer)
	}
	if w.ExitCode != nil {
		assert.Assert(t, res.Program != nil, what)
		assert.Equal(t, res.Program.ExitCode, *w.ExitCode, "%s\n%.2000s", what, answer)
	}
	if w.Output != nil {
		assert.Assert(t, res.Program != nil, what)
		got := strings.ToValidUTF8(string(res.Program.Head)+string(res.Program.Tail), "\uFFFD")
		assert.Equal(t, got, *w.Output, what)
	}
	for _, text := range w.Contains {
		assert.Assert(t, strings.Contains(answer, text), "%s\nno %q in:\n%.3000s", what, text, answer)
	}
	for _, text := range w.NotContains {
		assert.Assert(t, !strings.Contains(answer, text), "%s\n%q in:\n%.3000s", what, text, answer)
	}
	if w.Images != nil {
		assert.Equal(t, len(res.Images), *w.Images, what)
	}
	if w.MaxSeconds > 0 {
		assert.Assert(t, took.Seconds() <= w.MaxSeconds, "%s\ntook %s", what, took)
	}
	assert.Assert(t, took.Seconds() >= w.MinSeconds, "%s\ntook %s", what, took)
}

func checkState(t *testing.T, box *sandbox.Sandbox, r row) {
	t.Helper()
	for name, content := range contents(t, r.WantFiles, r.WantFilesB64) {
		got, _, err := box.ReadFile(t.Context(), abs(name), wire.MaxFile)
		assert.NilError(t, err)
		assert.Equal(t, string(got), string(content), name)
	}
	for name, mode := range r.WantModes {
		assert.Equal(t, strings.TrimLeft(sh(t, box, "find "+quote(abs(name))+" -maxdepth 0 -printf %m"), "0"), strings.TrimLeft(mode, "0"), name)
	}
	for link, target := range r.WantSymlinks {
		assert.Equal(t, sh(t, box, "readlink "+quote(abs(link))), target, link)
	}
	for _, name := range r.WantAbsent {
		there := quote(abs(name))
		assert.Equal(t, sh(t, box, "test ! -e "+there+" && test ! -L "+there+"; echo $?"), "0", "%s is there", name)
	}
	if r.WantNoProcess != "" {
		assertNoProcess(t, box, r.WantNoProcess)
	}
}

// assertNoProcess waits up to two seconds for processes that hold a text in
// their command line or environment to be gone.
func assertNoProcess(t *testing.T, box *sandbox.Sandbox, text string) {
	t.Helper()
	const script = `import os, sys, time
text = sys.stdin.buffer.read()
def found():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if int(pid) == os.getpid(): continue
        for name in "cmdline", "environ":
            try: data = open(f"/proc/{pid}/{name}", "rb").read()
            except OSError: continue
            if text in data or text in data.replace(b"\0", b" "): return f"{pid} {data!r}"
end = time.monotonic() + 2
while (last := found()) and time.monotonic() < end: time.sleep(0.05)
print(last or "", end="")`
	res, err := box.Exec(t.Context(), wire.ExecRequest{Argv: []string{"python3", "-c", script}, Dir: "/", Stdin: []byte(text)})
	assert.NilError(t, err)
	assert.Equal(t, string(res.Head), "", "a process with %q is alive", text)
}

// sh runs a command apart from the shell under test.
func sh(t *testing.T, box *sandbox.Sandbox, command string) string {
	t.Helper()
	res, err := box.Exec(t.Context(), wire.ExecRequest{Argv: []string{"sh", "-c", command}, Dir: "/workspace"})
	assert.NilError(t, err)
	assert.Equal(t, res.ExitCode, 0, "%s: %s", command, res.Head)
	return strings.TrimSuffix(string(slices.Concat(res.Head, res.Tail)), "\n")
}

func abs(name string) string {
	if path.IsAbs(name) {
		return name
	}
	return path.Join("/workspace", name)
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
