// Package tools is what a model can call: the Tool interface, the Result every
// call ends in, its rendering for the model, and the Registry that finds,
// validates and runs calls. One folder per tool holds its code and, beside it,
// the description the model reads.
package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// Tool is one thing a model can call.
type Tool interface {
	Spec() Spec
	// Run does one call. What the model should hear, a failure too, is in the
	// Result; an error means that the sandbox or drydock itself failed, and
	// ends the run.
	Run(ctx context.Context, args json.RawMessage) (Result, error)
}

// Spec describes a tool to the model.
type Spec struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON schema of type object
	Example     string          // arguments of a right call, as JSON
}

// Status says how a call ended.
type Status string

// The eight ways a call can end.
const (
	StatusOK          = Status(wire.StatusOK)
	StatusExitNonzero = Status(wire.StatusExitNonzero)
	StatusTimeout     = Status(wire.StatusTimeout)
	StatusOOM         = Status(wire.StatusOOM)
	StatusOutputLimit = Status(wire.StatusOutputLimit)
	StatusLost        = Status("sandbox_lost") // the run ends, or goes on in a new sandbox
	StatusRejected    = Status("rejected")     // wrong arguments; nothing was run or changed
	StatusToolError   = Status("tool_error")   // it could not be done; nothing was changed
)

// Result is what a call came to.
type Result struct {
	Status   Status
	Duration time.Duration

	// Program is set when a command or code was run.
	Program *Program
	// Screen is set when a terminal was used.
	Screen *Screen
	// Text is the answer of a tool that runs no program, and the reason of a
	// rejected call.
	Text   string
	Images []Image
	// Repaired says what was wrong with arguments that were almost JSON.
	Repaired string
	// Final is set by a tool that ends the run.
	Final *Final
}

// Program is what came of running a command or code.
type Program struct {
	ExitCode int
	Head     []byte        // output from the start
	Tail     []byte        // and from the end, when some between was dropped
	Total    int64         // bytes printed
	Dropped  int64         // bytes between Head and Tail
	Log      string        // file in the sandbox with the full output
	Limit    time.Duration // the time the call was allowed
	Asked    time.Duration // the time it asked for, 0 if none
	OOMKills int64         // processes the kernel killed for memory
	Killed   int           // processes ended because of the call
	Replaced string        // why the shell or interpreter is a new one
	PidsFull bool          // the process limit was reached
	DiskFull bool          // ended because the run had too much on disk
	Jobs     []wire.Job    // background processes alive
	LateLog  string        // file in the sandbox for what the ones of this call print later
	Late     []wire.Late   // what those of earlier calls have printed meanwhile
}

// Image is a picture for the model.
type Image struct {
	MIME string
	Data []byte
}

// Final is a tool's word that the run is over.
type Final struct {
	Success bool
	Answer  string
}

// Rejected is the result of a call whose arguments are wrong. The example shows
// arguments of the right form.
func Rejected(reason, example string) Result {
	return Result{Status: StatusRejected, Text: reason + "\nNothing was run or changed. Right arguments are, for example: " + example + "\n"}
}

// Failed is the result of a call that could not be done.
func Failed(reason string) Result {
	return Result{Status: StatusToolError, Text: reason}
}

// FromRun makes a Result of what the sandbox reports. asked is the time limit
// that the call asked for, 0 for none.
func FromRun(r wire.Result, asked time.Duration, p sandbox.Policy) Result {
	limit := min(cmp.Or(asked, p.Timeout), p.MaxTimeout)
	res := Result{Status: Status(r.Status), Duration: r.Duration}
	for _, img := range r.Images {
		res.Images = append(res.Images, Image{MIME: img.MIME, Data: img.Data})
	}
	res.Program = &Program{
		ExitCode: r.ExitCode, Head: r.Head, Tail: r.Tail, Total: r.Total, Dropped: r.Dropped, Log: r.Log,
		Limit: limit, Asked: asked, LateLog: r.LateLog, Late: r.Late, OOMKills: r.OOMKills, Killed: r.Killed, Replaced: r.Replaced, PidsFull: r.PidsFull, DiskFull: r.DiskFull, Jobs: r.Jobs,
	}
	return res
}
