package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// guestHost stands in the URLs; the transport never resolves it.
const guestHost = "http://guest"

// How long an answer may take from the request to its last byte, however
// lively it comes: a guest could drip one without end. Far more than honest
// ones take, over a slow road to a remote engine as well.
const (
	answerLimit = 3 * time.Minute // counters, listings, and files that are read or written whole
	copyLimit   = time.Hour       // walks and archives
)

var errEndless = errors.New("the guest's answer does not come to an end")

// get asks for a JSON answer.
func (s *Sandbox) get(ctx context.Context, path string, query url.Values, into any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, answerLimit, errEndless)
	defer cancel()
	resp, err := s.do(ctx, http.MethodGet, path, query, nil, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return s.decode(resp.Body, into)
}

// post sends JSON and asks for a JSON answer, which may take as long as a call.
func (s *Sandbox) post(ctx context.Context, path string, body, into any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.policy.MaxTimeout+answerLimit, errEndless)
	defer cancel()
	raw, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	resp, err := s.do(ctx, http.MethodPost, path, nil, nil, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return s.decode(resp.Body, into)
}

// do sends a request. An answer that is not a success becomes a *CallError; a
// broken stream stays the transport's error, which callers turn into a
// *LostError.
func (s *Sandbox) do(ctx context.Context, method, path string, query url.Values, header http.Header, body io.Reader) (*http.Response, error) {
	target := guestHost + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, target, body)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	for k, v := range header {
		req.Header[k] = v
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return nil, tame(unwrapURL(err))
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		return nil, refusal(resp)
	}
	return resp, nil
}

// unwrapURL takes the pretended URL out of an error that people may see.
func unwrapURL(err error) error {
	var uerr *url.Error
	if errors.As(err, &uerr) {
		return uerr.Err
	}
	return err
}

// fail sorts an error of a call: the caller's cancellation and the guest's own
// refusal pass through, the rest means that the sandbox is lost.
func (s *Sandbox) fail(ctx context.Context, op string, err error) error {
	var call *CallError
	if err == nil || errors.As(err, &call) {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return s.lost(ctx, op, tame(err))
}
