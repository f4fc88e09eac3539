package runtime

import "time"

// Budget bounds a run. A field of zero bounds nothing. Reaching a bound is an
// outcome of its own: what was done so far is kept.
type Budget struct {
	Steps  int           // model turns
	Tokens int           // in and out, as billed
	Time   time.Duration // wall time of the loop
}

func (b Budget) exceeded(o Outcome) Reason {
	switch {
	case b.Steps > 0 && o.Steps >= b.Steps:
		return ReasonSteps
	case b.Tokens > 0 && o.Usage.InputTokens+o.Usage.OutputTokens >= b.Tokens:
		return ReasonTokens
	}
	return ""
}

// After how many identical steps in a row the agent is told, and then stopped.
const (
	nudgeAfter = 3
	stopAfter  = 6
)

type repeatAction int

const (
	repeatNothing repeatAction = iota
	repeatNudge
	repeatStop
)

// repeatGuard counts identical steps in a row.
type repeatGuard struct {
	last  string
	count int
}

func (g *repeatGuard) see(fingerprint string) repeatAction {
	if fingerprint == "" || fingerprint != g.last {
		g.last, g.count = fingerprint, 1
		return repeatNothing
	}
	g.count++
	switch g.count {
	case nudgeAfter:
		return repeatNudge
	case stopAfter:
		return repeatStop
	}
	return repeatNothing
}
