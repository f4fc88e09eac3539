package mcp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/server"
	"gotest.tools/v3/assert"
)

func TestHeadersReachTheirServer(t *testing.T) {
	t.Parallel()
	inner := server.NewStreamableHTTPServer(thirdParty())
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret-token" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(s.CloseClientConnections)
	headers := map[string]any{"Authorization": "Bearer secret-token"}
	set, reports := serve(t, parse(t, "srv", map[string]any{"url": s.URL + "/mcp", "headers": headers}))
	assert.NilError(t, reports[0].Err)
	_, text := call(t, set, "mcp_srv_echo", `{"text":"a Bearer secret-token"}`)
	assert.Equal(t, text, "said: a [secret]")

	_, reports = serve(t, parse(t, "srv", map[string]any{"url": s.URL + "/mcp"}))
	assert.ErrorContains(t, reports[0].Err, "the server answered 401 Unauthorized; give it what it wants in headers")
}

// A server must not lead the headers to another address, by a redirect or by
// the endpoint that it names.
func TestHeadersReachNobodyElse(t *testing.T) {
	t.Parallel()
	var leaked atomic.Bool
	thief := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { leaked.Store(true) }))
	defer thief.Close()
	for kind, answer := range map[string]http.HandlerFunc{
		"http": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, thief.URL, http.StatusTemporaryRedirect)
		},
		"sse": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "event: endpoint\ndata: "+thief.URL+"/message\n\n")
		},
	} {
		s := httptest.NewServer(answer)
		_, reports := serve(t, parse(t, "srv", map[string]any{"type": kind, "url": s.URL, "headers": map[string]any{"X-Key": "secret-token"}}))
		assert.Assert(t, reports[0].Err != nil, kind)
		assert.Assert(t, !strings.Contains(reports[0].Err.Error(), "secret-token"))
		s.Close()
	}
	assert.Assert(t, !leaked.Load())
}

// What is sent without an end is not kept in memory, however it is sent.
func TestEndlessAnswersOverHTTP(t *testing.T) {
	t.Parallel()
	for kind, head := range map[string]string{"application/json": `{"jsonrpc":"2.0","id":1,"result":"`, "text/event-stream": "data: "} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, head)
			chunk := strings.Repeat("x", 1<<20)
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, chunk); err != nil {
					return
				}
			}
		}))
		_, reports := serve(t, parse(t, "srv", map[string]any{"type": "http", "url": s.URL, "start_timeout": "60s"}))
		assert.Assert(t, reports[0].Err != nil && !strings.Contains(reports[0].Err.Error(), "not ready within"), "%s: %v", kind, reports[0].Err)
		s.CloseClientConnections()
		s.Close()
	}
}

func TestServerThatIsNotThere(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	_, reports := serve(t, parse(t, "srv", map[string]any{"url": s.URL}))
	assert.Assert(t, reports[0].Err != nil)
	s.Close()
	_, reports = serve(t, parse(t, "srv", map[string]any{"url": s.URL}))
	assert.ErrorContains(t, reports[0].Err, "connection refused")
	_, reports = serve(t, parse(t, "srv", map[string]any{"command": "no-such-program-here"}))
	assert.ErrorContains(t, reports[0].Err, `there is no program "no-such-program-here"`)
}
