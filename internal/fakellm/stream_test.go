package fakellm_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/internal/fakellm"
)

const streamed = `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hi"}]}`

// dataOf posts a request for a stream and gives its events' data, and the error
// that reading them ended with.
func dataOf(t *testing.T, srv *fakellm.Server) (data []string, err error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL()+"/chat/completions", strings.NewReader(streamed))
	assert.NilError(t, err)
	resp, err := http.DefaultClient.Do(req)
	assert.NilError(t, err)
	defer func() { _ = resp.Body.Close() }()
	for lines := bufio.NewReader(resp.Body); ; {
		line, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return data, nil
		}
		if err != nil {
			return data, err
		}
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "data: "); ok {
			data = append(data, text)
		}
	}
}

func TestStreamsAreCutAsAskedFor(t *testing.T) {
	t.Parallel()
	answer := fakellm.TextCalls("abcd", fakellm.Call{Name: "x", Arguments: `{"a":1}`})
	for _, tt := range []struct {
		turn   fakellm.Turn
		events int
		last   string
		fails  bool
	}{
		{answer, 6, "[DONE]", false},
		{answer.WithDeltas(2), 10, "[DONE]", false},
		{answer.WithDeltas(2).WithPieces(1), 10, "[DONE]", false},
		{answer.WithoutDone(), 5, "usage", false},
		{answer.CutAfter(2), 2, "abcd", true},
		{answer.ResetAfter(3), 3, "arguments", true},
		{fakellm.Events("one", "two"), 3, "[DONE]", false},
		{fakellm.Stream("data: one\n", "\ndata: tw"), 1, "one", false},
	} {
		data, err := dataOf(t, fakellm.New(t, tt.turn))
		assert.Equal(t, err != nil, tt.fails, "%v", err)
		assert.Equal(t, len(data), tt.events, "%q", data)
		assert.Assert(t, strings.Contains(data[len(data)-1], tt.last), "%q", data)
	}
}

func TestAStallEndsWithRelease(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Text("ab").StallAfter(1))
	go func() {
		if srv.Await(context.Background(), 1) == nil {
			srv.Release()
		}
	}()
	data, err := dataOf(t, srv)
	assert.NilError(t, err)
	assert.Equal(t, data[len(data)-1], "[DONE]")
}

func TestOverflowsOfManyServers(t *testing.T) {
	t.Parallel()
	assert.Assert(t, len(fakellm.OverflowServers()) > 20)
	for _, server := range fakellm.OverflowServers() {
		resp, text, err := post(t, fakellm.New(t, fakellm.Overflow(server)).URL(), hello)
		assert.NilError(t, err)
		assert.Assert(t, resp.StatusCode >= 400 && text != "", server)
	}
}
