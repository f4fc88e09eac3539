package models

import (
	"slices"

	"drydock/runtime/llm"
)

// Override is what a person says of a model. What is nil was not said.
type Override struct {
	Window, MaxOutput            *int // tokens
	Images, Tools, ParallelTools *bool
	Refuses                      []string // parameters; empty but not nil refuses none
	Prices                       *llm.Prices
}

// With puts what a person says over what the table knows. A model of which the
// window is said counts as known.
func (s Spec) With(o Override) Spec {
	set(&s.Window, o.Window)
	set(&s.MaxOutput, o.MaxOutput)
	set(&s.Images, o.Images)
	set(&s.Tools, o.Tools)
	set(&s.ParallelTools, o.ParallelTools)
	s.ParallelTools = s.ParallelTools && s.Tools
	if o.Refuses != nil {
		s.Refuses = slices.Clone(o.Refuses)
	}
	if o.Prices != nil {
		prices := *o.Prices
		s.Prices = &prices
	}
	s.Known = s.Known || o.Window != nil
	return s
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}
