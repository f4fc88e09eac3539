package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// home is where the runs live: their project, state and temporary files.
type home struct{ dir string }

// turns keep a run busy for longer than it lives: with files, with processes
// that do not end when asked to, with a call that hangs.
const turns = `{"tool_calls": [{"name": "bash", "arguments": {"command": "seq 20000 > numbers"}}]}
{"tool_calls": [{"name": "str_replace_editor", "arguments": {"command": "create", "path": "/workspace/new", "file_text": "new\n"}}]}
{"tool_calls": [{"name": "bash", "arguments": {"command": "(trap '' TERM HUP INT; while :; do sleep 1; done) & sleep 60"}}]}
{"text": "It is done."}
`

func newHome() (home, error) {
	dir, err := os.MkdirTemp("", "chaos-")
	h := home{dir}
	for _, d := range []string{h.repo(), h.temporary()} {
		if err == nil {
			err = os.MkdirAll(d, 0o700)
		}
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "turns.jsonl"), []byte(turns), 0o600)
	}
	for i := range 50 {
		if err == nil {
			err = os.WriteFile(filepath.Join(h.repo(), fmt.Sprintf("file%d", i)), bytes.Repeat([]byte("a line\n"), 1000), 0o600)
		}
	}
	if err != nil {
		return home{}, fmt.Errorf("make a place for the runs: %w", err)
	}
	return h, nil
}

func (h home) repo() string      { return filepath.Join(h.dir, "repo") }
func (h home) temporary() string { return filepath.Join(h.dir, "tmp") }
func (h home) runs() string      { return filepath.Join(h.dir, "state", "drydock", "runs") }

// command is drydock, with nothing of this user's settings.
func (h home) command(ctx context.Context, drydock string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, drydock, args...)
	cmd.Dir = h.dir
	for _, name := range []string{"PATH", "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY", "GOCACHE", "GOMODCACHE"} {
		if value, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.Env = append(cmd.Env, "HOME="+h.dir, "TMPDIR="+h.temporary(),
		"XDG_STATE_HOME="+filepath.Join(h.dir, "state"), "XDG_CONFIG_HOME="+filepath.Join(h.dir, "config"))
	return cmd
}

// killAll starts the runs and kills each.
func killAll(ctx context.Context, h home, o options) error {
	moments := rand.New(rand.NewPCG(o.seed, 0))
	work := make(chan time.Duration)
	failed := make(chan error, o.workers)
	var workers sync.WaitGroup
	for range o.workers {
		workers.Go(func() {
			for after := range work {
				if err := killOne(ctx, h, o.drydock, after); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	err := hand(ctx, work, failed, moments, o)
	close(work)
	workers.Wait()
	return err
}

func hand(ctx context.Context, work chan<- time.Duration, failed <-chan error, moments *rand.Rand, o options) error {
	for range o.runs {
		select {
		case work <- time.Duration(moments.Int64N(int64(o.within))):
		case err := <-failed:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// killOne fails when the run ended by itself: then nothing was tried.
func killOne(ctx context.Context, h home, drydock string, after time.Duration) error {
	var said bytes.Buffer
	cmd := h.command(ctx, drydock, "run", "--quiet", "--model", "script:turns.jsonl", "--repo", "repo", "count")
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start a run: %w", err)
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == -1 {
		return nil // a signal ended it
	}
	return fmt.Errorf("a run ended before it was killed: %w: %s", err, said.String())
}

// gc sweeps once and gives the last line of what it said.
func (h home) gc(ctx context.Context, drydock string) (said string, took time.Duration, err error) {
	began := time.Now()
	out, err := h.command(ctx, drydock, "gc").Output()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil {
		err = fmt.Errorf("drydock gc: %w: %s", err, out)
	}
	return lines[len(lines)-1], time.Since(began), err
}

// stages says how far the runs had come.
func (h home) stages(runs int) string {
	logs, _ := filepath.Glob(filepath.Join(h.runs(), "*", "events.jsonl"))
	var making, working int
	for _, name := range logs {
		log, _ := os.ReadFile(name)
		switch {
		case bytes.Contains(log, []byte(`"type":"sandbox.ready"`)):
			working++
		case bytes.Contains(log, []byte(`"type":"run.started"`)):
			making++
		}
	}
	return fmt.Sprintf("%d at work, %d while the sandbox was made, %d before", working, making, runs-working-making)
}
