// Package fakellm is an OpenAI-compatible server for tests, over real HTTP.
//
// It plays scripted turns, answers and faults alike, one for each request. It
// refuses invalid conversations the way providers do, and it keeps every
// request for assertions.
package fakellm

import (
	"net/http/httptest"
	"strings"
)

// TB is the part of testing.TB that the server needs. With it, programs that
// use the server outside of tests do not link package testing.
type TB interface {
	Helper()
	Cleanup(func())
	Errorf(format string, args ...any)
}

// Server is a Handler that listens on a loopback port.
type Server struct {
	*Handler
	http *httptest.Server
}

// New starts a server that plays the turns and stops when the test ends.
func New(tb TB, turns ...Turn) *Server {
	tb.Helper()
	s := Start(turns...)
	tb.Cleanup(s.Close)
	return s
}

// Start is New without a test; the caller calls Close.
func Start(turns ...Turn) *Server {
	h := NewHandler(turns...)
	return &Server{Handler: h, http: httptest.NewServer(h)}
}

// URL is the base URL for clients. It ends in /v1.
func (s *Server) URL() string { return s.http.URL + "/v1" }

// Close breaks open connections, hanging ones included, and stops the server.
// It may be called again.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// AssertKey fails the test unless every request carried exactly this key, or
// none where the key is empty, and there was at least one request. It prints
// no key.
func (s *Server) AssertKey(tb TB, key string) {
	tb.Helper()
	requests := s.Requests()
	if len(requests) == 0 {
		tb.Errorf("the fake model server got no request")
	}
	want := ""
	if key != "" {
		want = "Bearer " + key
	}
	for i, r := range requests {
		if got := strings.Join(r.Header.Values("Authorization"), ", "); got != want {
			tb.Errorf("request %d: the Authorization header (%d bytes) is not the expected one (%d bytes)", i+1, len(got), len(want))
		}
	}
}

// AssertAllValid fails the test for each request that was refused as invalid.
func (s *Server) AssertAllValid(tb TB) {
	tb.Helper()
	for i, r := range s.Requests() {
		if r.Problem != "" {
			tb.Errorf("request %d is invalid: %s", i+1, r.Problem)
		}
	}
}
