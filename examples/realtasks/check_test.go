package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

func TestPlanSeries(t *testing.T) {
	t.Parallel()
	const series = "# backports\nfirst.patch\n\nfix-1.patch -p1\nbetween.patch # why\nfix-2.patch\nlater.patch\n"
	plan, err := planSeries(series, []string{"fix-*.patch"})
	assert.NilError(t, err)
	assert.Equal(t, fmt.Sprint(plan),
		"[{first.patch false} {fix-1.patch true} {between.patch false} {fix-2.patch true}]")
	_, err = planSeries(series, []string{"fix-*.patch", "gone.patch"})
	assert.ErrorContains(t, err, "no gone.patch")
	_, err = planSeries(series, []string{"fix-["})
	assert.ErrorContains(t, err, "fix-[")
}

func TestCheckTests(t *testing.T) {
	t.Parallel()
	const (
		started = `{"type":"tool.started","name":"bash"}` + "\n"
		fails   = `{"type":"tool.completed","name":"bash","status":"exit_nonzero","exit_code":2}` + "\n"
		breaks  = `{"type":"tool.completed","name":"bash","status":"exit_nonzero","exit_code":127}` + "\n"
		passes  = `{"type":"tool.completed","name":"bash","status":"ok","exit_code":0}` + "\n"
		others  = `{"type":"tool.completed","name":"python_execute","status":"ok"}` + "\n" +
			`{"type":"tool.completed","name":"str_replace_editor","status":"ok"}` + "\n"
	)
	tests := map[string]struct{ events, want string }{
		"fails, then passes":  {started + fails + others + passes, ""},
		"no newline at end":   {fails + others + strings.TrimSpace(passes), ""},
		"passes before":       {passes + others + passes, "tests before the fix"},
		"cannot run before":   {breaks + others + passes, "tests before the fix: exit_nonzero (127)"},
		"fails after":         {fails + others + fails, "tests after the fix"},
		"a tool never used":   {fails + passes, "never used python_execute"},
		"nothing was done":    {"", "never used bash"},
		"half-written events": {fails + `{"type":"tool.comp`, "read events"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, filepath.Join(dir, "events.jsonl"), tc.events)
			r := result{task: task{FailCode: 2}}
			err := r.checkTests(dir)
			if tc.want == "" {
				assert.NilError(t, err)
				return
			}
			assert.ErrorContains(t, err, tc.want)
		})
	}
}

// TestCheckPatch goes through the comparison with a small tree in git's place.
func TestCheckPatch(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	tree, runDir := filepath.Join(dir, "tree"), filepath.Join(dir, "run")
	write(t, filepath.Join(tree, "a.txt"), "one\ntwo\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "x"}} {
		_, err := git(ctx, tree, args...)
		assert.NilError(t, err)
	}
	write(t, filepath.Join(dir, "by-hand.sh"), "sed -i s/two/2/ a.txt\n")
	want, err := expectedPatch(ctx, task{Dir: dir}, tree, filepath.Join(dir, "once"))
	assert.NilError(t, err)

	check := func(patch string) (result, error) {
		assert.NilError(t, os.RemoveAll(filepath.Join(dir, "clean")))
		assert.NilError(t, os.RemoveAll(filepath.Join(dir, "by-hand")))
		write(t, filepath.Join(runDir, "patch.diff"), patch)
		r := result{task: task{Dir: dir}}
		return r, r.checkPatch(ctx, tree, runDir)
	}
	r, err := check(string(want))
	assert.NilError(t, err)
	assert.Assert(t, r.identical)
	assert.Equal(t, r.patch, len(want))

	_, err = check(strings.Replace(string(want), "+2", "+3", 1))
	assert.ErrorContains(t, err, "differs from the same edits")
	_, err = check(strings.Replace(string(want), "-two", "-zwei", 1))
	assert.ErrorContains(t, err, "does not apply")

	assert.NilError(t, checkUntouched(ctx, tree))
	write(t, filepath.Join(tree, "litter"), "")
	assert.ErrorContains(t, checkUntouched(ctx, tree), "litter")
}
