package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"gotest.tools/v3/assert"
)

// patience is how long a program may take before a test gives it up.
const patience = 90 * time.Second

// process is drydock, running.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	dir    string // current directory, which also holds the state
	lines  chan string
	stdout strings.Builder
	stderr strings.Builder
}

// start runs drydock in a directory of its own.
func start(t *testing.T, dir string, env []string, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	assert.NilError(t, err)
	p := &process{t: t, dir: dir, cmd: exec.Command(self), lines: make(chan string)}
	p.cmd.Args = append([]string{"drydock"}, args...)
	p.cmd.Dir = dir
	p.cmd.Env = append(append([]string{"PATH=" + os.Getenv("PATH")}, isolated(dir)...), env...)
	p.cmd.Stdout = &p.stdout
	stderr, err := p.cmd.StderrPipe()
	assert.NilError(t, err)
	assert.NilError(t, p.cmd.Start())
	timer := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	t.Cleanup(func() {
		timer.Stop()
		_ = p.cmd.Process.Kill()
	})
	go p.read(stderr)
	return p
}

func (p *process) read(stderr io.Reader) {
	defer close(p.lines)
	for scan := bufio.NewScanner(stderr); scan.Scan(); {
		p.lines <- scan.Text()
	}
}

// await reads stderr up to a line that contains the text.
func (p *process) await(text string) {
	p.t.Helper()
	for line := range p.lines {
		p.stderr.WriteString(line + "\n")
		if strings.Contains(line, text) {
			return
		}
	}
	p.t.Fatalf("the program ended without %q on stderr:\n%s", text, p.stderr.String())
}

func (p *process) signal(sig syscall.Signal) {
	p.t.Helper()
	assert.NilError(p.t, p.cmd.Process.Signal(sig))
}

// exit waits for the end and gives the exit code.
func (p *process) exit() int {
	p.t.Helper()
	for line := range p.lines {
		p.stderr.WriteString(line + "\n")
	}
	_ = p.cmd.Wait() // the code says it
	code := p.cmd.ProcessState.ExitCode()
	if p.t.Failed() || testing.Verbose() {
		p.t.Logf("exit code %d, stderr:\n%s", code, p.stderr.String())
	}
	return code
}

// file reads a file of the run, which is in the directory run.
func (p *process) file(name string) string {
	p.t.Helper()
	raw, err := os.ReadFile(filepath.Join(p.dir, "run", name))
	assert.NilError(p.t, err)
	return string(raw)
}

// event is what these tests read of an event.
type event struct {
	Seq      int     `json:"seq"`
	Type     string  `json:"type"`
	RunID    string  `json:"run_id"`
	Name     string  `json:"name"`
	Status   string  `json:"status"`
	Reason   string  `json:"reason"`
	ExitCode int     `json:"exit_code"`
	Error    string  `json:"error"`
	Cost     float64 `json:"cost_usd"`
}

// events reads the log of the run: it has no gap and its last line is the end.
func (p *process) events() []event {
	p.t.Helper()
	var all []event
	for line := range strings.Lines(p.file("events.jsonl")) {
		var e event
		assert.NilError(p.t, json.Unmarshal([]byte(line), &e))
		assert.Equal(p.t, e.Seq, len(all))
		all = append(all, e)
	}
	assert.Assert(p.t, len(all) > 0)
	for _, e := range all[:len(all)-1] {
		assert.Assert(p.t, e.Type != "run.completed" && e.Type != "run.failed")
	}
	return all
}

// end is the last event.
func (p *process) end() event {
	p.t.Helper()
	all := p.events()
	return all[len(all)-1]
}
