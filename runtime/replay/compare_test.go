package replay_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime"
	"drydock/runtime/llm"
	"drydock/runtime/replay"
)

// compare shows a comparer the events of a replay and gives what it found.
func compare(t *testing.T, c *replay.Comparer, events ...runtime.Payload) ([]replay.Difference, replay.Summary) {
	t.Helper()
	var found []replay.Difference
	for _, e := range events {
		for _, p := range c.Observe(e) {
			switch p := p.(type) {
			case replay.Difference:
				found = append(found, p)
			case replay.Summary:
				return found, p
			default:
				t.Fatalf("unexpected %T", p)
			}
		}
	}
	t.Fatal("there was no summary")
	return nil, replay.Summary{}
}

func TestDifferences(t *testing.T) {
	t.Parallel()
	run := find(t, recorded(t, started, answer(1, "a", "b"), result("a", "one\n"), result("b", "took 3s\n"), answer(2, "c"), result("c", "end\n"), done))
	lost := result("a", "one\n")
	lost.Status = "timeout"
	for name, tt := range map[string]struct {
		events []runtime.Payload
		what   string
		want   replay.Summary
	}{
		"none": {
			[]runtime.Payload{answer(1), result("a", "one\n"), result("b", "took 3s\n"), answer(2), result("c", "end\n"), done},
			"",
			replay.Summary{Calls: 3, Same: 3, Equal: true},
		},
		"ignored": {
			[]runtime.Payload{answer(1), result("a", "one\n"), result("b", "took 14s\n"), answer(2), result("c", "end\n"), done},
			"",
			replay.Summary{Calls: 3, Same: 2, Ignored: 1, Equal: true},
		},
		"output": {
			[]runtime.Payload{answer(1), result("a", "two\n"), result("b", "took 3s\n"), answer(2), result("c", "end\n"), done},
			"observation",
			replay.Summary{Calls: 3, Same: 2, Different: 1},
		},
		"status": {
			[]runtime.Payload{answer(1), lost, result("b", "took 3s\n"), answer(2), result("c", "end\n"), done},
			"observation",
			replay.Summary{Calls: 3, Same: 2, Different: 1},
		},
		"missing": {
			[]runtime.Payload{answer(1), result("a", "one\n"), answer(2), result("c", "end\n"), done},
			"missing",
			replay.Summary{Calls: 3, Same: 2, Missing: 1},
		},
		"missing at the end": {
			[]runtime.Payload{answer(1), result("a", "one\n"), result("b", "took 3s\n"), answer(2), done},
			"missing",
			replay.Summary{Calls: 3, Same: 2, Missing: 1},
		},
		"extra": {
			[]runtime.Payload{answer(1), result("a", "one\n"), result("b", "took 3s\n"), answer(2), result("c", "end\n"), result("d", ""), done},
			"extra",
			replay.Summary{Calls: 3, Same: 3, Extra: 1},
		},
		"ending": {
			[]runtime.Payload{answer(1), result("a", "one\n"), result("b", "took 3s\n"), answer(2), result("c", "end\n"), runtime.RunEnded{Reason: runtime.ReasonGaveUp}},
			"ending",
			replay.Summary{Calls: 3, Same: 3},
		},
		"shorter": {
			[]runtime.Payload{answer(1), result("a", "one\n"), result("b", "took 3s\n"), runtime.RunEnded{Reason: runtime.ReasonSteps}},
			"ending",
			replay.Summary{Calls: 3, Same: 2, Missing: 1, Unplayed: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := replay.NewComparer(run, []*regexp.Regexp{regexp.MustCompile(`\d+s`)})
			found, summary := compare(t, c, tt.events...)
			assert.DeepEqual(t, summary, tt.want)
			if tt.what == "" {
				assert.Equal(t, len(found), 0)
				return
			}
			assert.Equal(t, len(found), 1)
			assert.Equal(t, found[0].What, tt.what)
		})
	}
}

func TestADiffIsShort(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat("line\n", 1000)
	run := find(t, recorded(t, started, answer(1, "a", "b"), result("a", lines+"old\n"), result("b", ""), done))
	c := replay.NewComparer(run, nil)
	found, _ := compare(t, c, answer(1), result("a", lines+"new\n"), result("b", strings.Repeat("other\n", 1000)), done)
	assert.Equal(t, found[0].Diff, "--- recorded\n+++ replayed\n@@ -998,4 +998,4 @@\n line\n line\n line\n-old\n+new\n")
	assert.Equal(t, strings.Count(found[1].Diff, "\n"), 100)
	assert.Assert(t, found[1].Omitted > 900)
}

// What an interrupted call would have come to is not known, nor what the run
// would have changed.
func TestARunThatWasInterrupted(t *testing.T) {
	t.Parallel()
	cut := result("a", "")
	cut.Status = "interrupted"
	dir := recorded(t, started, answer(1, "a"), cut, runtime.RunEnded{Reason: runtime.ReasonInterrupted})
	assert.NilError(t, dir.WriteFile(runtime.PatchFile, []byte("half")))
	run := find(t, dir)
	patch := filepath.Join(t.TempDir(), "patch")
	assert.NilError(t, os.WriteFile(patch, []byte("whole"), 0o600))

	model := run.Model()
	_, err := model.Complete(t.Context(), llm.Request{})
	assert.NilError(t, err)
	_, err = model.Complete(t.Context(), llm.Request{})
	var end *runtime.EndError
	assert.Assert(t, errors.As(err, &end))
	assert.Equal(t, end.Reason, runtime.ReasonReplayed)

	found, summary := compare(t, replay.NewComparer(run, nil),
		answer(1), result("a", "all of it"), runtime.PatchReady{Path: patch}, runtime.RunEnded{Reason: end.Reason})
	assert.Equal(t, len(found), 0)
	assert.Assert(t, summary.Equal)
}

func TestAnotherPatchIsADifference(t *testing.T) {
	t.Parallel()
	dir := recorded(t, started, answer(1), done)
	assert.NilError(t, dir.WriteFile(runtime.PatchFile, []byte("old\n")))
	patch := filepath.Join(t.TempDir(), "patch")
	assert.NilError(t, os.WriteFile(patch, []byte("new\n"), 0o600))
	found, summary := compare(t, replay.NewComparer(find(t, dir), nil), answer(1), runtime.PatchReady{Path: patch}, done)
	assert.Equal(t, found[0].What, replay.WhatPatch)
	assert.Assert(t, strings.Contains(found[0].Diff, "\n-old\n+new\n"))
	assert.Assert(t, !summary.Equal)
}

// Answers that run out where the recorded run went on to its end are an error.
func TestAReplayThatNeedsMoreAnswers(t *testing.T) {
	t.Parallel()
	model := find(t, recorded(t, started, answer(1), done)).Model()
	_, err := model.Complete(t.Context(), llm.Request{})
	assert.NilError(t, err)
	_, err = model.Complete(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.RoleTool, Text: "rejected"}}})
	var short *replay.RanOutError
	assert.Assert(t, errors.As(err, &short))
	assert.Equal(t, short.Turn, 2)
	assert.ErrorContains(t, err, `the record has 1 answer(s), and the replay asks for turn 2 after "rejected"`)
}
