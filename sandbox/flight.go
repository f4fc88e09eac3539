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
	body := &watchedBody{ReadCloser: resp.Body, end: end}
	resp.Body = body
	if stream, ok := body.ReadCloser.(io.ReadWriteCloser); ok && resp.StatusCode == http.StatusSwitchingProtocols {
		resp.Body = watchedStream{body, stream}
	}
	return resp, nil
}

// watchedStream is the body of an answer that has become a stream.
type watchedStream struct {
	*watchedBody
	io.Writer
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
