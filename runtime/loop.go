// Package runtime takes one run from its first step to its end: the loop and
// its states, the budgets, the guard against repetition, the events, and the
// directory a run leaves behind. It knows no tool, no model and no engine: what
// a step does is the Stepper's business.
package runtime

import (
	"context"
	"errors"
	"sync"
	"time"

	"drydock/runtime/llm"
)

// Stepper does one step of a run.
type Stepper interface {
	// Step thinks and acts once. An error ends the run as failed.
	Step(ctx context.Context, n int) (Step, error)
	// Nudge is called when steps repeat themselves, before the run is stopped
	// for it.
	Nudge(reason string)
}

// Step is what one step came to.
type Step struct {
	Done  *Done     // set when the run is over
	Usage llm.Usage // tokens billed in this step, none negative
	// Estimated are tokens of answers for which the server counted none.
	Estimated llm.Usage
	Cost      float64 // US dollars for both, 0 where prices are not known
	ToolCalls int
	// Fingerprint stands for what was done and what came of it: two steps with
	// the same one got nowhere. Empty means that the step cannot repeat.
	Fingerprint string
}

// Done is the agent's own word that the run is over.
type Done struct {
	Success bool
	Answer  string
}

// State is where a run is.
type State string

// The states of a run.
const (
	StateIdle     State = "idle"
	StateRunning  State = "running"
	StateFinished State = "finished"
	StateFailed   State = "failed"
)

// Reason says why a run ended.
type Reason string

// The reasons there are.
const (
	ReasonDone        Reason = "done"           // the agent says it succeeded
	ReasonGaveUp      Reason = "gave_up"        // the agent says it failed
	ReasonSteps       Reason = "max_steps"      // a limit, an outcome rather than a fault
	ReasonTokens      Reason = "max_tokens"     // a limit
	ReasonTokensIn    Reason = "max_tokens_in"  // a limit
	ReasonTokensOut   Reason = "max_tokens_out" // a limit
	ReasonCost        Reason = "max_cost"       // a limit
	ReasonContext     Reason = "context_full"   // a limit: the conversation does not fit the model
	ReasonRepeating   Reason = "repeating"      // a limit
	ReasonTime        Reason = "timeout"        // the run's time limit
	ReasonInterrupted Reason = "interrupted"    // a signal
	ReasonError       Reason = "error"
	ReasonReplayed    Reason = "replayed" // the recorded run came no further
)

// Outcome is how a run ended.
type Outcome struct {
	State     State
	Reason    Reason
	Answer    string
	Err       error // with ReasonError
	Steps     int
	ToolCalls int
	Usage     llm.Usage
	Estimated llm.Usage // of answers for which the server counted no tokens
	Cost      float64   // US dollars for both, 0 where prices are not known
	Duration  time.Duration
}

// ErrRunning is returned by a second start of a loop.
var ErrRunning = errors.New("the run has been started already")

// ErrTimeout is the cause of a context that ended because the run's time was up.
var ErrTimeout = errors.New("the run's time limit is reached")

// Loop drives one run. It can be watched from other goroutines.
type Loop struct {
	Budget Budget

	mu    sync.Mutex
	state State
	why   Reason
}

// State tells where the run is and, once it is over, why.
func (l *Loop) State() (State, Reason) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == "" {
		return StateIdle, ""
	}
	return l.state, l.why
}

// Run steps until something says stop. It can be called once.
func (l *Loop) Run(ctx context.Context, s Stepper) (Outcome, error) {
	if !l.enter() {
		return Outcome{}, ErrRunning
	}
	began := time.Now()
	if l.Budget.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, l.Budget.Time, ErrTimeout)
		defer cancel()
	}
	out := l.steps(ctx, s)
	out.Duration = time.Since(began)
	l.leave(&out)
	return out, nil
}

func (l *Loop) steps(ctx context.Context, s Stepper) Outcome {
	var out Outcome
	var guard repeatGuard
	for {
		if reason := l.Budget.exceeded(out); reason != "" {
			out.Reason = reason
			return out
		}
		if ctx.Err() != nil {
			return stopped(ctx, out)
		}
		step, err := s.Step(ctx, out.Steps+1)
		out.Steps++
		out.ToolCalls += step.ToolCalls
		out.Usage = out.Usage.Add(step.Usage)
		out.Estimated = out.Estimated.Add(step.Estimated)
		out.Cost += step.Cost
		switch {
		case err != nil && ctx.Err() != nil:
			return stopped(ctx, out)
		case err != nil:
			out.Reason, out.Err = because(err)
			return out
		case step.Done != nil:
			out.Reason, out.Answer = verdict(step.Done), step.Done.Answer
			return out
		}
		switch guard.see(step.Fingerprint) {
		case repeatNudge:
			s.Nudge("The last steps repeat themselves, and so do their results.")
		case repeatStop:
			out.Reason = ReasonRepeating
			return out
		}
	}
}

func verdict(d *Done) Reason {
	if d.Success {
		return ReasonDone
	}
	return ReasonGaveUp
}

func stopped(ctx context.Context, out Outcome) Outcome {
	out.Reason = ReasonInterrupted
	if errors.Is(context.Cause(ctx), ErrTimeout) {
		out.Reason = ReasonTime
	}
	return out
}

func (l *Loop) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != "" {
		return false
	}
	l.state = StateRunning
	return true
}

func (l *Loop) leave(out *Outcome) {
	out.State = StateFailed
	if out.Reason == ReasonDone {
		out.State = StateFinished
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state, l.why = out.State, out.Reason
}
