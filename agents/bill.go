package agents

import (
	"drydock/runtime"
	"drydock/runtime/llm"
)

// mostTokens is more than any answer takes; what a server counts beyond it would
// only make sums overflow.
const mostTokens = 1 << 40

// bill adds what was billed to a step. What a server cannot have counted is left
// out.
func (a *Agent) bill(step *runtime.Step, u llm.Usage, prices *llm.Prices) llm.Usage {
	u.InputTokens = min(max(u.InputTokens, 0), mostTokens)
	u.OutputTokens = min(max(u.OutputTokens, 0), mostTokens)
	u.CachedTokens = min(max(u.CachedTokens, 0), u.InputTokens)
	step.Usage = step.Usage.Add(u)
	step.Cost += price(u, prices)
	return u
}

// price is what tokens cost in US dollars, 0 where that is not known.
func price(u llm.Usage, prices *llm.Prices) float64 {
	if prices == nil {
		return 0
	}
	return prices.Cost(u)
}
