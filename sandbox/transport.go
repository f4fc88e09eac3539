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

	"drydock/sandbox/wire"
)

// guestHost stands in the URLs; the transport never resolves it.
const guestHost = "http://guest"

// get asks for a JSON answer.
func (s *Sandbox) get(ctx context.Context, path string, query url.Values, into any) error {
	resp, err := s.do(ctx, http.MethodGet, path, query, nil, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return decode(resp.Body, into)
}

// post sends JSON and asks for a JSON answer.
func (s *Sandbox) post(ctx context.Context, path string, body, into any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	resp, err := s.do(ctx, http.MethodPost, path, nil, nil, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return decode(resp.Body, into)
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
		return nil, unwrapURL(err)
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		return nil, refusal(resp)
	}
	return resp, nil
}

// refusal reads why the guest did not do it.
func refusal(resp *http.Response) error {
	var f wire.Failure
	if err := json.NewDecoder(io.LimitReader(resp.Body, 64<<10)).Decode(&f); err != nil || f.Code == "" {
		return fmt.Errorf("the guest answered %s", resp.Status)
	}
	return &CallError{Code: f.Code, Message: f.Message}
}

// decode reads a bounded JSON answer.
func decode(body io.Reader, into any) error {
	limited := &io.LimitedReader{R: body, N: wire.MaxJSON}
	if err := json.NewDecoder(limited).Decode(into); err != nil {
		if limited.N <= 0 {
			return fmt.Errorf("the guest's answer is over %d bytes", wire.MaxJSON)
		}
		return fmt.Errorf("read the guest's answer: %w", err)
	}
	return nil
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
	return s.lost(ctx, op, err)
}
