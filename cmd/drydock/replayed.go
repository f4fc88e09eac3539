package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"

	"drydock/cmd/config"
	"drydock/runtime"
	"drydock/runtime/replay"
)

// replayed is the recorded run that a job repeats, and what came of comparing
// the two.
type replayed struct {
	run      *replay.Run
	comparer *replay.Comparer
	settings []config.Difference
}

func newReplayed(run *replay.Run, cfg config.Config, recorded map[string]string, ignore []*regexp.Regexp) *replayed {
	return &replayed{run: run, comparer: replay.NewComparer(run, ignore), settings: config.Differences(cfg, recorded)}
}

// observe warns of what is not as it was when the run was recorded, and compares.
func (r *replayed) observe(p runtime.Payload) []runtime.Payload {
	var found []runtime.Payload
	switch p := p.(type) {
	case runtime.RunStarted:
		for _, text := range r.changes(p) {
			found = append(found, runtime.Warning{Text: text})
		}
	case runtime.SandboxReady:
		if r.run.Digest != "" && p.Digest != r.run.Digest {
			found = append(found, runtime.Warning{Text: "the workspace is not as it was when the run was recorded"})
		}
	}
	return append(found, r.comparer.Observe(p)...)
}

// changes tells how the replay is set up in another way than the run was.
func (r *replayed) changes(now runtime.RunStarted) []string {
	list := append([]string(nil), r.run.Notes...)
	for _, d := range r.settings {
		text := fmt.Sprintf("%s was %s and is %s", d.Setting.Key(), shown(d.Recorded), shown(d.Now))
		if d.Setting.InProject() != "yes" || d.Setting.Key() == "sandbox.env" {
			text += "; a record does not set it, --" + d.Setting.Flag + " does"
		}
		list = append(list, text)
	}
	if was := r.run.Started; was != nil && was.ImageID != "" && was.Image == now.Image && was.ImageID != now.ImageID {
		list = append(list, fmt.Sprintf("the image %s has changed since the run was recorded", now.Image))
	}
	return list
}

func shown(text string) string {
	if text == "" {
		return "not set"
	}
	return text
}

// exitCode is 0 where nothing differs. What stopped the replay, or made it fail,
// has the code it always has.
func (r *replayed) exitCode(ctx context.Context, o runtime.Outcome) int {
	usual := outcomeCode(ctx, o)
	switch {
	case replayedEnd(o):
		return usual
	case r.comparer.Summary(o.Reason).Equal:
		return exitDone
	}
	return exitFailed
}

// maxShownDiff is how many lines of a difference a person is shown; the event
// has more.
const maxShownDiff = 24

// show prints a difference or the summary.
func (r *replayed) show(out io.Writer, e runtime.Event) {
	switch d := e.Data.(type) {
	case replay.Difference:
		_, _ = fmt.Fprintln(out, describe(d))
		lines := strings.Split(strings.TrimSuffix(clean(d.Diff), "\n"), "\n")
		left := d.Omitted
		if len(lines) > maxShownDiff {
			left += len(lines) - maxShownDiff
			lines = lines[:maxShownDiff]
		}
		for _, l := range lines {
			if l != "" {
				_, _ = fmt.Fprintln(out, "  "+l)
			}
		}
		if left > 0 {
			_, _ = fmt.Fprintf(out, "  … %d more lines\n", left)
		}
	case replay.Summary:
		_, _ = fmt.Fprintln(out, summarizeReplay(d))
	}
}

// describe is the head of a difference.
func describe(d replay.Difference) string {
	call := fmt.Sprintf("turn %d, %s", d.Turn, oneLineOf(d.Name))
	was, is := oneLineOf(d.Recorded.String()), oneLineOf(d.Replayed.String())
	switch d.What {
	case replay.WhatMissing:
		return call + ": recorded as " + was + ", and not run"
	case replay.WhatExtra:
		return call + ": not recorded, and ended with " + is
	case replay.WhatEnding:
		return "the run ended as " + was + ", and its replay as " + is
	case replay.WhatPatch:
		return "the patch differs"
	}
	if d.Recorded.Equal(d.Replayed) {
		return call + ": another output"
	}
	return call + ": was " + was + ", is " + is
}

func summarizeReplay(s replay.Summary) string {
	text := fmt.Sprintf("%d call(s): %d the same", s.Calls, s.Same)
	for _, part := range []struct {
		count int
		what  string
	}{
		{s.Ignored, "the same but for what is ignored"},
		{s.Different, "different"},
		{s.Missing, "not run"},
		{s.Extra, "not recorded"},
	} {
		if part.count > 0 {
			text += fmt.Sprintf(", %d %s", part.count, part.what)
		}
	}
	if s.Unplayed > 0 {
		text += fmt.Sprintf("; %d answer(s) not played", s.Unplayed)
	}
	return text
}
