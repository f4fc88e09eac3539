package mcp_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/server"
	"gotest.tools/v3/assert"

	"drydock/tools"
	"drydock/tools/mcp"
)

// keep is a log in memory.
type keep struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (k *keep) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.buf.Write(p)
}

func (k *keep) String() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.buf.String()
}

func (k *keep) Close() error { return nil }

func serveLogged(t *testing.T, log io.WriteCloser, specs ...mcp.Spec) *mcp.Set {
	t.Helper()
	set, err := mcp.NewSet(specs, mcp.Options{
		Getenv: os.Getenv, Warn: func(string) {},
		Log: func(string) (io.WriteCloser, error) { return log, nil },
	})
	assert.NilError(t, err)
	t.Cleanup(set.Close)
	for _, r := range set.Start(t.Context()) {
		assert.NilError(t, r.Err)
	}
	return set
}

// thirdPartySpecs are the same foreign server over each transport.
func thirdPartySpecs(t *testing.T) map[string]mcp.Spec {
	t.Helper()
	address := func(h http.Handler) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.CloseClientConnections) // those of servers that keep a stream open
		return s.URL
	}
	stream := address(server.NewStreamableHTTPServer(thirdParty()))
	events := address(server.NewSSEServer(thirdParty(), server.WithUseFullURLForMessageEndpoint(false)))
	return map[string]mcp.Spec{
		"stdio":        own(t, "third", nil),
		"http":         parse(t, "srv", map[string]any{"type": "http", "url": stream + "/mcp"}),
		"unsaid, http": parse(t, "srv", map[string]any{"url": stream + "/mcp"}),
		"sse":          parse(t, "srv", map[string]any{"type": "sse", "url": events + "/sse"}),
		"unsaid, sse":  parse(t, "srv", map[string]any{"url": events + "/sse"}),
	}
}

func TestForeignServerOverEachTransport(t *testing.T) {
	t.Parallel()
	for name, spec := range thirdPartySpecs(t) {
		t.Run(name, func(t *testing.T) {
			set, reports := serve(t, spec)
			assert.NilError(t, reports[0].Err)
			assert.Assert(t, strings.Contains(set.Instructions(), "    Use echo for everything."), set.Instructions())
			names := toolNames(set)
			assert.Assert(t, slices.Contains(names, "mcp_srv_bash") && !slices.Contains(names, "bash"), "%q", names)

			_, text := call(t, set, "mcp_srv_echo", `{"text":"hi"}`)
			assert.Equal(t, text, "said: hi")
			res, text := call(t, set, "mcp_srv_picture", `{}`)
			assert.Equal(t, text, "look")
			assert.DeepEqual(t, res.Images, []tools.Image{{MIME: "image/png", Data: []byte("\x89PNG a picture")}})
			res, text = call(t, set, "mcp_srv_fail", `{}`)
			assert.Equal(t, res.Status, tools.StatusToolError)
			assert.Equal(t, text, "no such city\n[the server says that this is an error]\n")
			_, text = call(t, set, "mcp_srv_read", `{}`)
			assert.Equal(t, text, "the file:\n[resource file:///a.txt]\nits text")
			_, text = call(t, set, "mcp_srv_blob", `{}`)
			assert.Assert(t, strings.Contains(text, "[resource file:///a.bin, application/zip, 14 bytes: not shown]"), text)
			res, text = call(t, set, "mcp_srv_echo", `["hi"]`)
			assert.Equal(t, res.Status, tools.StatusRejected)
			assert.Assert(t, strings.Contains(text, "must be one JSON object, not an array") && strings.Contains(text, `{"text":"…"}`), text)

			call(t, set, "mcp_srv_grow", `{}`)
			eventually(t, "the new tool", func() bool { return slices.Contains(toolNames(set), "mcp_srv_grown") })
		})
	}
}

// A server gets what it was given, and of the host only what programs need.
func TestServerEnvironmentIsMinimal(t *testing.T) {
	t.Parallel()
	from := source(t)
	from.Getenv = func(name string) string { return map[string]string{"TOKEN": "hunter2-hunter2"}[name] }
	self, err := os.Executable()
	assert.NilError(t, err)
	spec, _, err := mcp.Parse("srv", map[string]any{"command": self, "env": map[string]any{modeVariable: "third", "T": "${TOKEN}"}}, from)
	assert.NilError(t, err)
	set, err := mcp.NewSet([]mcp.Spec{spec}, mcp.Options{Warn: func(string) {}, Getenv: func(name string) string { return "host-" + name }})
	assert.NilError(t, err)
	defer set.Close()
	assert.NilError(t, set.Start(t.Context())[0].Err)
	_, text := call(t, set, "mcp_srv_environment", `{}`)
	assert.Assert(t, strings.Contains(text, "HOME=host-HOME") && strings.Contains(text, "T=[secret]"), text)
	assert.Assert(t, !strings.Contains(text, "OPENAI") && !strings.Contains(text, "hunter2"), text)
}
