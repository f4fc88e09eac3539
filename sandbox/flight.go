package sandbox

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// watched is a transport whose requests are watched from their start until
// their answer has been read.
type watched struct {
	http.RoundTripper
	pulse *pulse
}

// RoundTrip sends a request. Closing the answer's body ends the watching.
func (w watched) RoundTrip(req *http.Request) (*http.Response, error) {
	due, _ := req.Context().Value(dueKey{}).(time.Time)
	ctx, end := w.pulse.begin(req.Context(), due)
	resp, err := w.RoundTripper.RoundTrip(req.WithContext(ctx))
	if err != nil {
		end()
		return nil, err
	}
	resp.Body = &watchedBody{ReadCloser: resp.Body, end: end}
	return resp, nil
}

type watchedBody struct {
	io.ReadCloser
	once sync.Once
	end  func()
}

func (b *watchedBody) Close() error {
	err := b.ReadCloser.Close()
	b.once.Do(b.end)
	return err
}

// dueKey is under which a context holds when the guest itself ends a request.
type dueKey struct{}

// dueIn notes that the guest ends a request by itself after a while, so that the
// host can tell when it does not.
func dueIn(ctx context.Context, limit time.Duration) context.Context {
	return context.WithValue(ctx, dueKey{}, time.Now().Add(limit))
}
