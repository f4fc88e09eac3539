package openai

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
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
// what go-openai's errors leave out: headers, and the body as it came, or the
// answer that a stream was put together to.
type exchange struct {
	client    *http.Client
	userAgent string
	// greedy asks for temperature 0, which the client library leaves out.
	greedy bool
	watch  *watch
	onText func(string)

	sent     bool // false means that the client library refused the request
	err      error
	status   int
	header   http.Header
	body     []byte // of what was not streamed
	streamed bool
	reply    reply
	bad      error // why the answer cannot be read
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
	if x.streamed = isStream(resp); x.streamed {
		err = x.readStream(resp.Body)
	} else {
		err = x.readBody(resp)
	}
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(x.body))
	return resp, nil
}

func isStream(resp *http.Response) bool {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return kind == "text/event-stream" && resp.StatusCode < http.StatusMultipleChoices
}

// readBody reads what is one JSON value, or should be.
func (x *exchange) readBody(resp *http.Response) (err error) {
	if resp.StatusCode >= http.StatusBadRequest {
		// The status says enough should the rest of the text not arrive.
		x.body, _ = io.ReadAll(io.LimitReader(resp.Body, maxErrorBytes))
		return nil
	}
	x.body, err = io.ReadAll(io.LimitReader(x.watch.over(resp.Body), maxAnswerBytes+1))
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if len(x.body) > maxAnswerBytes {
		return fmt.Errorf("%w: over %d MiB", errTooLarge, maxAnswerBytes>>20)
	}
	x.bad = x.reply.add(x.body)
	x.reply.ended = true
	return nil
}

// problem is what the server said of a failure, if it did.
func (x *exchange) problem() problem {
	if x.streamed {
		return parseProblem(x.header, x.reply.problem)
	}
	return parseProblem(x.header, x.body)
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
