// Package mcp is the tools that servers of the Model Context Protocol offer:
// programs on this machine or in the sandbox, and servers behind an address.
// What a server says is material for the model, bounded and cleaned; a server
// that fails is an observation and is started again.
package mcp

import (
	"slices"
	"strings"
	"time"
)

// Transport is how a server is spoken to.
type Transport string

// The transports.
const (
	Stdio Transport = "stdio" // through the standard streams of a program
	SSE   Transport = "sse"   // HTTP as of the protocol's first version
	HTTP  Transport = "http"  // streamable HTTP
	// AnyHTTP is streamable HTTP, and SSE where the server does not speak it.
	AnyHTTP Transport = "http or sse"
)

// Where is the place a server's program runs at.
type Where string

// The places.
const (
	OnHost    Where = "host"
	InSandbox Where = "sandbox"
)

// The time limits of a server that names none.
const (
	usualStart = 30 * time.Second
	usualCall  = 2 * time.Minute
)

// Spec says how a server is reached.
type Spec struct {
	Name      string
	Origin    string // the file that names it
	Transport Transport
	Where     Where // of a program

	Command string
	Args    []string
	Env     map[string]string
	Dir     string // empty for the home directory, in a sandbox for the workspace

	URL     string
	Headers map[string]string

	Start    time.Duration // from its start to its list of tools
	Call     time.Duration // one call
	Tools    []string      // the only ones that are offered; empty for all
	Disabled bool

	secrets []string // values that are shown nowhere
}

// redact takes the server's secrets out of a text.
func (s *Spec) redact(text string) string {
	for _, secret := range s.secrets {
		text = strings.ReplaceAll(text, secret, "[secret]")
	}
	return text
}

// minSecret keeps short values, which are words of any text, from being taken
// out of it.
const minSecret = 6

func (s *Spec) keepSecret(values ...string) {
	for _, v := range values {
		if len(v) >= minSecret && !slices.Contains(s.secrets, v) {
			s.secrets = append(s.secrets, v)
		}
	}
	// The longest first: one may be part of another.
	slices.SortStableFunc(s.secrets, func(a, b string) int { return len(b) - len(a) })
}

func (s *Spec) offers(tool string) bool {
	return len(s.Tools) == 0 || slices.Contains(s.Tools, tool)
}
