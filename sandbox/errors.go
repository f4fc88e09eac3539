package sandbox

import (
	"errors"
	"fmt"
)

// EngineError means that the container engine could not do what drydock asked:
// it is missing, too old, hanging, or refused. It is the person's to mend,
// never an observation for the model.
type EngineError struct {
	Op  string // what was attempted, as a verb phrase
	Err error
}

func (e *EngineError) Error() string { return fmt.Sprintf("%s: %v", e.Op, e.Err) }

// Unwrap gives the engine's own error.
func (e *EngineError) Unwrap() error { return e.Err }

// ImageError means that an image is missing and could be neither pulled nor
// built, or that it cannot serve as a sandbox.
type ImageError struct {
	Image string
	Err   error
}

func (e *ImageError) Error() string { return fmt.Sprintf("image %s: %v", e.Image, e.Err) }

// Unwrap gives the reason.
func (e *ImageError) Unwrap() error { return e.Err }

// LostError means that the sandbox is gone or no longer answers. State says
// what the engine knows of the container, for example "exited (137), out of
// memory".
type LostError struct {
	Op    string
	State string
	Err   error
}

func (e *LostError) Error() string {
	if e.State == "" {
		return fmt.Sprintf("sandbox lost: %s: %v", e.Op, e.Err)
	}
	return fmt.Sprintf("sandbox lost: %s: %v (container: %s)", e.Op, e.Err, e.State)
}

// Unwrap gives what was seen on the stream.
func (e *LostError) Unwrap() error { return e.Err }

// CallError means that the guest could not do what was asked, for a reason that
// the one who asked can act on: a file that is missing, a program the image
// lacks. Code is one of the wire.Code constants.
type CallError struct {
	Code    string
	Message string
}

func (e *CallError) Error() string { return e.Message }

// ErrClosed means that the sandbox was closed by its owner.
var ErrClosed = errors.New("sandbox is closed")
