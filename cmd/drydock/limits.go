package main

import "drydock/runtime"

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
