package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// runTask does everything for one task below dir. What failed is in the
// result's err; the fields known by then are filled in.
func runTask(ctx context.Context, t task, f *fetcher, binary, dir string) (r result) {
	r = result{task: t, before: "-", after: "-"}
	if r.err = os.MkdirAll(dir, 0o755); r.err != nil {
		return r
	}
	var dsc string
	if dsc, r.version, r.err = f.fetch(ctx, t.Package, t.Suite); r.err != nil {
		return r
	}
	tree := filepath.Join(dir, "tree")
	if r.err = buildTree(ctx, t, dsc, tree); r.err != nil {
		return r
	}
	runDir := filepath.Join(dir, "run")
	start := time.Now()
	err := runDrydock(ctx, t, binary, tree, runDir)
	r.elapsed = time.Since(start)
	if err != nil {
		r.err = err
		return r
	}
	r.err = errors.Join(r.checkTests(runDir), r.checkPatch(ctx, tree, runDir), checkUntouched(ctx, tree))
	return r
}

func runDrydock(ctx context.Context, t task, binary, tree, runDir string) error {
	cmd := exec.CommandContext(ctx, binary, "run", "--model", "script:"+t.turnsFile(),
		"--repo", tree, "--run-dir", runDir, t.Prompt)
	// Interrupted, drydock removes its container and keeps its records. In a
	// group of its own it gets that signal once, also from a terminal.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	// A directory of its own keeps out the configuration files of whoever runs this.
	cmd.Dir = filepath.Dir(tree)
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+filepath.Join(cmd.Dir, "config"))
	if _, err := capture(cmd); err != nil {
		return fmt.Errorf("run drydock: %w", err)
	}
	return nil
}

// checkTests holds the run to its recording: the first shell call runs the
// tests and sees them fail, the last one sees them pass, all tools were used.
func (r *result) checkTests(runDir string) error {
	events, err := os.Open(filepath.Join(runDir, "events.jsonl"))
	if err != nil {
		return fmt.Errorf("read events: %w", err)
	}
	defer events.Close()
	calls, err := readCalls(events)
	if err != nil {
		return err
	}
	used := map[string][]call{}
	for _, c := range calls {
		used[c.Name] = append(used[c.Name], c)
	}
	for _, name := range requiredTools() {
		if len(used[name]) == 0 {
			return fmt.Errorf("the run never used %s", name)
		}
	}
	shell := used["bash"]
	first, last := shell[0], shell[len(shell)-1]
	r.before, r.after = first.String(), last.String()
	var wrong []error
	if !first.ended("exit_nonzero", r.task.FailCode) {
		wrong = append(wrong, fmt.Errorf("tests before the fix: %s, expected exit_nonzero (%d)", first, r.task.FailCode))
	}
	if last.Status != "ok" {
		wrong = append(wrong, fmt.Errorf("tests after the fix: %s, expected ok", last))
	}
	return errors.Join(wrong...)
}

func (r *result) checkPatch(ctx context.Context, tree, runDir string) error {
	file := filepath.Join(runDir, "patch.diff")
	got, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the patch: %w", err)
	}
	r.patch = len(got)
	clean := filepath.Join(filepath.Dir(tree), "clean")
	if err := cloneTree(ctx, tree, clean); err != nil {
		return err
	}
	if _, err := git(ctx, clean, "apply", "--check", file); err != nil {
		return fmt.Errorf("the patch does not apply to a clean tree: %w", err)
	}
	want, err := expectedPatch(ctx, r.task, tree, filepath.Join(filepath.Dir(tree), "by-hand"))
	if err != nil {
		return err
	}
	if r.identical = bytes.Equal(got, want); !r.identical {
		return fmt.Errorf("the patch differs from the same edits made by hand: %s", firstDifference(got, want))
	}
	return nil
}

// checkUntouched makes sure that the run left the tree it was given alone.
func checkUntouched(ctx context.Context, tree string) error {
	status, err := git(ctx, tree, "status", "--porcelain", "--ignored")
	if err != nil {
		return fmt.Errorf("check the tree: %w", err)
	}
	if len(status) > 0 {
		return fmt.Errorf("the run changed the tree it was given: %s", lastLines(string(status), 3))
	}
	return nil
}

func firstDifference(got, want []byte) string {
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d is %q, expected %q", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, expected %d", len(g), len(w))
}
