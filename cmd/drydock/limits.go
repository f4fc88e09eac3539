package main

import (
	"cmp"
	"strings"

	"drydock/cmd/config"
	"drydock/runtime"
)

// understand finds what is known of the model, and whether the limits can be kept
// with that.
func (j *job) understand() error {
	j.facts.Window = cmp.Or(j.cfg.Run.ContextWindow, j.facts.Window)
	if err := j.budget().Check(j.facts); err != nil {
		return usageError{err}
	}
	return nil
}

// budget is the run's limits; what the person set beats the preset. A replay costs
// nothing.
func (j *job) budget() runtime.Budget {
	r := j.cfg.Run
	b := runtime.Budget{
		Steps: j.preset.MaxSteps, Tokens: r.MaxTokens, TokensIn: r.MaxTokensIn, TokensOut: r.MaxTokensOut, Cost: r.MaxCost, Time: r.Timeout,
	}
	if r.MaxTurns > 0 {
		b.Steps = r.MaxTurns
	}
	if j.replay != nil {
		b.Cost = 0
	}
	return b
}

// scripted says that the model's turns are recorded: asked for a summary, it would
// give the next of them.
func scripted(cfg config.LLM) bool { return strings.HasPrefix(cfg.Model, scriptPrefix) }
