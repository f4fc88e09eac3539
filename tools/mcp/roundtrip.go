package mcp

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// guarded sends a server's headers to the server, and nothing anywhere else: a
// redirect or an address that the server names could lead them away.
type guarded struct {
	base    http.RoundTripper
	home    *url.URL
	headers map[string]string
}

// RoundTrip refuses other origins.
func (g guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != g.home.Scheme || r.URL.Host != g.home.Host {
		return nil, fmt.Errorf("the server leads to another address, %q, which is not followed", r.URL.Scheme+"://"+r.URL.Host)
	}
	if len(g.headers) > 0 {
		r = r.Clone(r.Context())
		for name, value := range g.headers {
			r.Header.Set(name, value)
		}
	}
	resp, err := g.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("the server answered %d %s; give it what it wants in headers, such as Authorization", resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") { // whose events are bounded by themselves
		resp.Body = &bounded{resp.Body, maxMessage}
	}
	return resp, nil
}

// bounded ends an answer that is too long for the memory of this machine.
type bounded struct {
	io.ReadCloser
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left < 0 {
		return 0, errTooLong
	}
	return n, err
}

func httpClient(spec *Spec) (*http.Client, error) {
	home, err := url.Parse(spec.URL)
	if err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	return &http.Client{Transport: guarded{http.DefaultTransport, home, spec.Headers}}, nil
}
