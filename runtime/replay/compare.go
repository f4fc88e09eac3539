package replay

import (
	"os"
	"regexp"
	"slices"

	"drydock/runtime"
)

// Comparer watches a replay and tells where it differs from the recorded run.
// It is not safe for concurrent use.
type Comparer struct {
	run    *Run
	ignore []*regexp.Regexp

	turn    int // that is going on, from 1
	done    []string
	summary Summary
	beyond  bool // a call was run of which the record does not tell what it did
	patched bool // the patch differs
}

// NewComparer compares with a run. What an expression of ignore matches in the
// output of a call makes no difference.
func NewComparer(run *Run, ignore []*regexp.Regexp) *Comparer {
	return &Comparer{run: run, ignore: ignore, summary: Summary{Calls: run.calls()}}
}

// Observe takes the next event of the replay and gives what it shows. It is
// given the end of the run before that is recorded.
func (c *Comparer) Observe(p runtime.Payload) []runtime.Payload {
	switch p := p.(type) {
	case runtime.ModelMessage:
		return c.nextTurn()
	case runtime.ToolCompleted:
		return c.completed(p)
	case runtime.PatchReady:
		return c.patch(p.Path)
	case runtime.RunEnded:
		found := append(c.missing(), c.ending(p.Reason)...)
		return append(found, c.Summary(p.Reason))
	}
	return nil
}

// nextTurn closes a turn and opens the next one. A recording does not tell calls
// that were not run from others, so those do not count.
func (c *Comparer) nextTurn() []runtime.Payload {
	missing := c.missing()
	c.summary.Missing += len(missing)
	if c.run.script != nil {
		c.summary.Calls -= len(c.recorded()) - len(c.done)
	}
	c.turn, c.done = c.turn+1, nil
	return missing
}

// Summary is what the comparison came to when the run ends for a reason.
func (c *Comparer) Summary(reason runtime.Reason) Summary {
	s := c.summary
	s.Missing += len(c.missing())
	s.Unplayed = max(len(c.run.Turns)-c.turn, 0)
	for _, t := range c.run.Turns[min(c.turn, len(c.run.Turns)):] {
		s.Missing += len(t.Results)
	}
	s.Equal = s.Different+s.Missing+s.Extra+s.Unplayed == 0 && !c.patched && len(c.ending(reason)) == 0
	return s
}

// recorded are the results of the turn that is going on.
func (c *Comparer) recorded() []Result {
	if c.turn < 1 || c.turn > len(c.run.Turns) {
		return nil
	}
	return c.run.Turns[c.turn-1].Results
}

func (c *Comparer) completed(got runtime.ToolCompleted) []runtime.Payload {
	if got.Status == interrupted {
		return nil
	}
	d := Difference{Turn: c.turn, ID: got.ID, Name: got.Name, Replayed: Outcome{Status: got.Status, ExitCode: got.ExitCode, Images: got.Images}}
	want := c.recorded()
	at := slices.IndexFunc(want, func(r Result) bool { return r.ID == got.ID })
	if at < 0 {
		if c.unknown(got.ID) {
			c.beyond = true
			return nil
		}
		c.summary.Extra++
		d.What = WhatExtra
		return []runtime.Payload{d}
	}
	c.done = append(c.done, got.ID)
	recorded, replayed := c.normal(want[at].Output), c.normal(got.Output)
	same := want[at].Equal(d.Replayed)
	switch {
	case same && want[at].Output == got.Output:
		c.summary.Same++
		return nil
	case same && recorded == replayed:
		c.summary.Ignored++
		return nil
	}
	c.summary.Different++
	d.What, d.Recorded = WhatObservation, want[at].Outcome
	d.Diff, d.Omitted = diff(recorded, replayed)
	return []runtime.Payload{d}
}

// unknown says that the record does not tell what came of a call, because it
// ends with it.
func (c *Comparer) unknown(id string) bool {
	if c.turn != len(c.run.Turns) || !c.run.openEnded() && c.run.script == nil {
		return false
	}
	for _, call := range c.run.Turns[c.turn-1].Response.Message.ToolCalls {
		if call.ID == id {
			return true
		}
	}
	return false
}

// ignored stands where an expression matched.
const ignored = "[ignored]"

func (c *Comparer) normal(text string) string {
	for _, re := range c.ignore {
		text = re.ReplaceAllLiteralString(text, ignored)
	}
	return text
}

// missing are the recorded calls of the turn that were not run. A recording
// does not tell those from calls that were answered without being run.
func (c *Comparer) missing() []runtime.Payload {
	if c.run.script != nil {
		return nil
	}
	var found []runtime.Payload
	for _, r := range c.recorded() {
		if !slices.Contains(c.done, r.ID) {
			found = append(found, Difference{What: WhatMissing, Turn: c.turn, ID: r.ID, Name: c.name(r.ID), Recorded: r.Outcome})
		}
	}
	return found
}

func (c *Comparer) name(id string) string {
	for _, call := range c.run.Turns[c.turn-1].Response.Message.ToolCalls {
		if call.ID == id {
			return call.Name
		}
	}
	return ""
}

// ending compares why the runs ended, where the answers decide that.
func (c *Comparer) ending(reason runtime.Reason) []runtime.Payload {
	if c.run.End == nil || reason == c.run.End.Reason || reason == runtime.ReasonReplayed {
		return nil
	}
	return []runtime.Payload{Difference{
		What: WhatEnding, Recorded: Outcome{Status: string(c.run.End.Reason)}, Replayed: Outcome{Status: string(reason)},
	}}
}

// patch compares what the runs changed.
func (c *Comparer) patch(path string) []runtime.Payload {
	if c.run.Patch == "" || c.beyond {
		return nil
	}
	recorded, err := os.ReadFile(c.run.Patch)
	if err != nil {
		return []runtime.Payload{runtime.Warning{Text: "compare the patches: " + err.Error()}}
	}
	replayed, err := os.ReadFile(path)
	if err != nil {
		return []runtime.Payload{runtime.Warning{Text: "compare the patches: " + err.Error()}}
	}
	if string(recorded) == string(replayed) {
		return nil
	}
	c.patched = true
	d := Difference{What: WhatPatch}
	d.Diff, d.Omitted = diff(string(recorded), string(replayed))
	return []runtime.Payload{d}
}
