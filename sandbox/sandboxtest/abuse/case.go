// Package abuse is a suite of hostile programs for an engine: each tries to take
// more than it was given, to get out, to lie or to stay. The package is data,
// and a runner that plays it and looks at what is left behind after each row.
package abuse

import (
	"context"
	"slices"
	"strings"
	"time"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// Kind groups cases that are about the same thing. They share a sandbox.
type Kind string

// The kinds there are.
const (
	Processes  Kind = "processes"
	Memory     Kind = "memory"
	Output     Kind = "output"
	Files      Kind = "files"
	Links      Kind = "links"
	Archives   Kind = "archives"
	Disk       Kind = "disk"
	Isolation  Kind = "isolation"
	Supervisor Kind = "supervisor"
	Network    Kind = "network"
	ShellState Kind = "shellstate"
	Channels   Kind = "channels"
	Python     Kind = "python"
	Faults     Kind = "faults"
)

// Tool names what a case is played with.
type Tool string

// The tools there are. A Go case does what no program inside could: it works on
// files the way the editor does, or on the container from outside.
const (
	Shell       Tool = "shell"
	Interpreter Tool = "python"
	Program     Tool = "exec" // Input is a script for sh, apart from the persistent shell
	Go          Tool = "go"
)

// Ending says how a case came out: a status of a call, or one of those that no
// guest reports.
type Ending string

// The endings there are.
const (
	OK          = Ending(wire.StatusOK)
	Nonzero     = Ending(wire.StatusExitNonzero)
	Timeout     = Ending(wire.StatusTimeout)
	OOM         = Ending(wire.StatusOOM)
	OutputLimit = Ending(wire.StatusOutputLimit)
	Refused     = Ending("refused") // a *sandbox.CallError
	Lost        = Ending("lost")    // a *sandbox.LostError
	Closed      = Ending("closed")  // the owner closed it
	Failed      = Ending("failed")  // any other error
)

// Case is one hostile program or fault, and what has to come of it.
type Case struct {
	ID     string // unique, stable
	Kind   Kind
	Tries  string // what it tries, in one line
	Tool   Tool
	Input  string
	Play   func(context.Context, *Stage) Outcome // instead of Input, for Go
	Limit  time.Duration                         // of the call; 0 for quickly
	Expect []Ending                              // any of them; none for any but lost
	Check  Check                                 // of the outcome
	Then   Hold                                  // what must hold afterwards

	In     Setting // which sandbox; the zero value is the kind's own
	Alone  bool    // a sandbox of its own, which it may ruin
	Slow   bool    // left out where there is little time
	Leaves string  // parts, with | between them, of command lines of background jobs that may stay, and are listed

	Not map[string]string // runtimes the case does not apply to, and why
}

// Setting is a policy that cases share a sandbox under.
type Setting struct {
	Name   string
	Change func(*sandbox.Policy)
}

// Check says what is wrong with an outcome.
type Check func(Outcome) error

// Hold says what is wrong with a sandbox after the case.
type Hold func(context.Context, *Stage) error

// Outcome is how a case came out.
type Outcome struct {
	Ending Ending
	Result wire.Result
	Err    error
	Took   time.Duration
}

// quickly is the time limit of cases that have none of their own.
const quickly = 10 * time.Second

func (c Case) limit() time.Duration {
	if c.Limit > 0 {
		return c.Limit
	}
	return quickly
}

func (c Case) expects(e Ending) bool {
	if len(c.Expect) == 0 {
		return e != Lost && e != Failed && e != Closed
	}
	return slices.Contains(c.Expect, e)
}

// place is the sandbox that a case is played in.
func (c Case) place() string {
	place := string(c.Kind) + "/" + c.In.Name
	if c.Alone {
		place += "/" + c.ID
	}
	return place
}

// mayLeave says whether a job of that command line may stay.
func (c Case) mayLeave(command string) bool {
	return c.Leaves != "" && slices.ContainsFunc(strings.Split(c.Leaves, "|"), func(part string) bool { return strings.Contains(command, part) })
}
