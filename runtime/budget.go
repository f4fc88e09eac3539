package runtime

import (
	"errors"
	"time"

	"drydock/runtime/llm"
)

// Budget bounds a run. A field of zero bounds nothing. Reaching a bound is an
// outcome of its own: what was done so far is kept. The step that reaches it is
// finished first, so it may be passed by what one step takes. Where a server
// counts no tokens, estimates count.
type Budget struct {
	Steps     int           // model turns
	Tokens    int           // in and out, as billed
	TokensIn  int           // read by the model
	TokensOut int           // written by it
	Cost      float64       // US dollars
	Time      time.Duration // wall time of the loop
}

// ErrNoPrices says that a cost cannot be bounded, because it cannot be known.
var ErrNoPrices = errors.New("a cost limit is set (max_cost), but the prices of the model are not known; configure them, or set max_tokens instead")

// Check says whether the budget can be kept with models of which this is known.
func (b Budget) Check(models ...llm.Facts) error {
	for _, m := range models {
		if b.Cost > 0 && m.Prices == nil {
			return ErrNoPrices
		}
	}
	return nil
}

// OfTokens says whether tokens or what they cost are bounded.
func (b Budget) OfTokens() bool {
	return b.Tokens > 0 || b.TokensIn > 0 || b.TokensOut > 0 || b.Cost > 0
}

func (b Budget) exceeded(o Outcome) Reason {
	used := o.Usage.Add(o.Estimated)
	switch {
	case b.Steps > 0 && o.Steps >= b.Steps:
		return ReasonSteps
	case b.Tokens > 0 && used.InputTokens+used.OutputTokens >= b.Tokens:
		return ReasonTokens
	case b.TokensIn > 0 && used.InputTokens >= b.TokensIn:
		return ReasonTokensIn
	case b.TokensOut > 0 && used.OutputTokens >= b.TokensOut:
		return ReasonTokensOut
	case b.Cost > 0 && o.Cost >= b.Cost:
		return ReasonCost
	}
	return ""
}
