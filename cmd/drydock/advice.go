package main

import (
	"errors"

	"drydock/sandbox"
)

// withAdvice is an error in one line for a person, and what can be done about it
// where drydock knows something.
func withAdvice(err error, onLoss sandbox.OnLoss) string {
	text := oneLine(err)
	var lost *sandbox.LostError
	var engine *sandbox.EngineError
	switch {
	case errors.As(err, &lost) && onLoss == sandbox.LossFails:
		return text + "; run it again, with --on-loss replace to go on in a new sandbox when this happens"
	case errors.As(err, &lost):
		return text + "; run it again"
	case errors.As(err, &engine):
		return text + "; 'drydock doctor' looks at the engine"
	}
	return text
}
