package docker

import (
	"context"
	"time"

	"github.com/containerd/errdefs"
)

// retryPause is the time between two attempts.
const retryPause = 100 * time.Millisecond

// How often a request may be sent.
const (
	again      = 2  // once more, in case the first answer got lost
	whileItMay = 30 // for three seconds, in case the engine comes back
)

// retried asks the engine again when the answer was none: the connection broke,
// the answer made no sense, or the engine failed inside. It is for requests that
// change nothing more when they are repeated.
func retried[T any](ctx context.Context, tries int, ask func() (T, error)) (T, error) {
	for {
		got, err := ask()
		if tries--; err == nil || refused(err) || tries == 0 {
			return got, err
		}
		select {
		case <-ctx.Done():
			return got, err
		case <-time.After(retryPause):
		}
	}
}

// refused says whether an error is the engine's considered answer.
func refused(err error) bool {
	for _, is := range []func(error) bool{
		errdefs.IsInvalidArgument, errdefs.IsNotFound, errdefs.IsConflict, errdefs.IsAlreadyExists,
		errdefs.IsPermissionDenied, errdefs.IsUnauthorized, errdefs.IsNotImplemented,
	} {
		if is(err) {
			return true
		}
	}
	return false
}
