package openai

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// What is read of an answer, after decompression. Of an error answer only the
// beginning matters, so that one is cut; a longer success is refused.
const (
	maxAnswerBytes = 32 << 20
	maxErrorBytes  = 1 << 20
)

var errTooLarge = errors.New("answer is too large")

// exchange is the HTTP client of one attempt. It sends the request and keeps
// what go-openai's errors leave out: headers, and the body as it came.
type exchange struct {
	client    *http.Client
	userAgent string
	// greedy asks for temperature 0, which the client library leaves out.
	greedy bool

	sent   bool // false means that the client library refused the request
	err    error
	status int
	header http.Header
	body   []byte
}

// Do implements the HTTPDoer of go-openai.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	x.sent = true
	resp, err := x.roundTrip(req)
	x.err = err
	return resp, err
}

func (x *exchange) roundTrip(req *http.Request) (*http.Response, error) {
	req.Header.Set("User-Agent", x.userAgent)
	if x.greedy {
		if err := setTemperatureZero(req); err != nil {
			return nil, err
		}
	}
	resp, err := x.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	x.status, x.header = resp.StatusCode, resp.Header
	if x.body, err = readBody(resp); err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(x.body))
	return resp, nil
}

func readBody(resp *http.Response) ([]byte, error) {
	if resp.StatusCode >= http.StatusBadRequest {
		// The status says enough should the rest of the text not arrive.
		body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBytes))
		return body, nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if len(body) > maxAnswerBytes {
		return nil, fmt.Errorf("%w: over %d MiB", errTooLarge, maxAnswerBytes>>20)
	}
	return body, nil
}

// setTemperatureZero writes the field in front of the others of the body.
func setTemperatureZero(req *http.Request) error {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	rest, found := bytes.CutPrefix(body, []byte("{"))
	if !found {
		return errors.New("the request is not a JSON object")
	}
	body = append([]byte(`{"temperature":0,`), rest...)
	req.Body = io.NopCloser(bytes.NewReader(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.ContentLength = int64(len(body))
	return nil
}
