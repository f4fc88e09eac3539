package docker

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"syscall"
)

// plain says in words what a failed conversation with the engine looks like to
// its client, without the pretended address.
func plain(err error) error {
	var request *url.Error
	if errors.As(err, &request) {
		return trimmed{err, reason(request.Err)}
	}
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return trimmed{err, "the engine's answer makes no sense: " + err.Error()}
	case brokeOff(err):
		return trimmed{err, reason(err)}
	}
	return err
}

func reason(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "the engine does not answer in time"
	case brokeOff(err):
		return "the connection to the engine broke off"
	}
	return err.Error()
}

func brokeOff(err error) bool {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}
