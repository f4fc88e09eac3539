package agents

import (
	"fmt"
	"slices"

	"drydock/runtime/llm"
	"drydock/runtime/memory"
)

// Bounds are what is known of the models that an agent asks. The zero value
// knows nothing.
type Bounds struct {
	Facts   llm.Facts
	Reserve int       // tokens of the window kept for an answer, 0 to choose
	Summary llm.Model // sums up turns that no longer fit; nil lists them
	// SummaryPrices are those of Summary, nil where they are not known.
	SummaryPrices *llm.Prices
}

// Bound makes the conversation fit what is known of the models. An error says
// that the task is too long for them.
func (a *Agent) Bound(b Bounds) error {
	a.bounds = b
	reserve := b.Reserve
	if reserve == 0 && b.Facts.MaxOutput > 0 {
		reserve = min(b.Facts.MaxOutput, b.Facts.Window/4)
	}
	err := a.memory.Bound(memory.Options{
		Window: b.Facts.Window, Reserve: reserve, Tools: a.offers(), Suffix: a.preset.NextStep, Summary: b.Summary,
	})
	if err != nil {
		return fmt.Errorf("agent %s: %w", a.preset.Name, err)
	}
	return nil
}

// models are the facts of all models that the run may ask.
func (s *Session) models() []llm.Facts {
	if s.NoSummary || s.Summary == nil {
		return []llm.Facts{s.Facts}
	}
	return []llm.Facts{s.Facts, s.SummaryFacts}
}

// bounds are what the agent has to keep to.
func (s *Session) bounds() Bounds {
	b := Bounds{Facts: s.Facts, Reserve: s.Reserve}
	switch {
	case s.NoSummary:
	case s.Summary == nil:
		b.Summary, b.SummaryPrices = s.Model, s.Facts.Prices
	default:
		b.Summary, b.SummaryPrices = s.Summary, s.SummaryFacts.Prices
	}
	return b
}

// priced says whether the cost of the run can be known.
func (s *Session) priced() bool {
	return !slices.ContainsFunc(s.models(), func(f llm.Facts) bool { return f.Prices == nil })
}
