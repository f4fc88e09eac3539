package replay

import (
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"
)

// What can differ.
const (
	WhatObservation = "observation" // a call came to something else
	WhatMissing     = "missing"     // a recorded call was not run
	WhatExtra       = "extra"       // a call was run that was not recorded
	WhatEnding      = "ending"      // the run ended for another reason, or earlier
	WhatPatch       = "patch"       // the run changed something else
)

// Difference is an event: the replay is not as the recorded run was.
type Difference struct {
	What     string  `json:"what"`
	Turn     int     `json:"turn,omitempty"` // from 1, where it is about a call
	ID       string  `json:"id,omitempty"`   // of the call
	Name     string  `json:"name,omitempty"` // of the tool
	Recorded Outcome `json:"recorded"`
	Replayed Outcome `json:"replayed"`
	Diff     string  `json:"diff,omitempty"` // unified, from recorded to replayed
	Omitted  int     `json:"omitted_lines"`  // of the diff
}

// Summary is an event: how much of a replay was the same.
type Summary struct {
	Calls     int `json:"calls"`     // recorded calls
	Same      int `json:"same"`      // of these
	Ignored   int `json:"ignored"`   // the same but for what --ignore matches
	Different int `json:"different"` // with another observation
	Missing   int `json:"missing"`   // not run
	Extra     int `json:"extra"`     // run but not recorded
	Unplayed  int `json:"unplayed"`  // answers the replay did not come to
	// Equal says that there is no difference, of calls, end and patch.
	Equal bool `json:"equal"`
}

// EventType names the event.
func (Difference) EventType() string { return "replay.difference" }

// EventType names the event.
func (Summary) EventType() string { return "replay.summary" }

// Bounds of a diff: longer texts are not compared line by line, which could
// take very long, and longer diffs are cut.
const (
	maxDiffText  = 256 << 10 // bytes
	maxDiffLines = 100
)

// diff compares two texts and counts the lines that there is no room for.
func diff(recorded, replayed string) (text string, omitted int) {
	if recorded == replayed || len(recorded)+len(replayed) > maxDiffText {
		return "", 0
	}
	lines := strings.SplitAfter(udiff.Unified("recorded", "replayed", recorded, replayed), "\n")
	if len(lines) > maxDiffLines {
		omitted = len(lines) - maxDiffLines
		lines = lines[:maxDiffLines]
	}
	return strings.Join(lines, ""), omitted
}
