// Package replay repeats a recorded run: the answers its model gave drive a new
// one, and what comes of each tool call is compared with what came of it then.
package replay

import (
	"fmt"

	"drydock/runtime"
	"drydock/runtime/llm"
	"drydock/runtime/llm/script"
)

// Run is a recorded run, from its event log or from a recording of its answers.
type Run struct {
	Name string // what a person calls it by
	Task string
	// Started is what the log says of the run's settings, nil for a recording.
	Started *runtime.RunStarted
	Digest  string // of the workspace that went in, empty where not known
	Turns   []Turn
	// End is the recorded end, nil where there is none: of a recording, and of
	// a run that was killed.
	End *runtime.RunEnded
	// Patch is the path of the recorded patch, empty where there is none.
	Patch string
	// Notes say, a line each, what the record lacks.
	Notes []string

	script *script.Model // of a recording
}

// Turn is an answer and what came of its calls.
type Turn struct {
	Response llm.Response
	Results  []Result // of the calls that were run, in order
}

// Result is what came of a call.
type Result struct {
	ID     string
	Output string // as the model read it
	Outcome
}

// Outcome is how a call ended. Status is empty where it is not known: a
// recording keeps only what the model read.
type Outcome struct {
	Status   string `json:"status,omitempty"`
	ExitCode *int   `json:"exit_code,omitempty"`
	Images   int    `json:"images,omitempty"`
}

// Equal says whether both outcomes are the same, as far as both are known.
func (o Outcome) Equal(p Outcome) bool {
	if o.Status == "" || p.Status == "" {
		return true
	}
	return o.Status == p.Status && o.Images == p.Images && code(o) == code(p)
}

// String is the outcome in a few words.
func (o Outcome) String() string {
	text := o.Status
	if o.ExitCode != nil {
		text += fmt.Sprintf(", exit code %d", *o.ExitCode)
	}
	if o.Images > 0 {
		text += fmt.Sprintf(", %d image(s)", o.Images)
	}
	return text
}

// code is -1 where no program was run.
func code(o Outcome) int {
	if o.ExitCode == nil {
		return -1
	}
	return *o.ExitCode
}

// calls counts the results that a replay is compared with.
func (r *Run) calls() int {
	n := 0
	for _, t := range r.Turns {
		n += len(t.Results)
	}
	return n
}
