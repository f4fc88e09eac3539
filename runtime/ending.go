package runtime

import "errors"

// EndError is an error of a step that is no failure: the run ends, for the
// reason it names.
type EndError struct {
	Reason Reason
	Detail string // one line
}

func (e *EndError) Error() string { return e.Detail }

// because is the reason for which an error ends a run, and the error where it is
// a failure.
func because(err error) (Reason, error) {
	var end *EndError
	if errors.As(err, &end) {
		return end.Reason, nil
	}
	return ReasonError, err
}
