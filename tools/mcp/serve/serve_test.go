package serve_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	third "github.com/mark3labs/mcp-go/mcp"
	"gotest.tools/v3/assert"

	"drydock/tools"
	"drydock/tools/mcp/serve"
)

// desk is a workbench that says what it was asked.
type desk struct {
	closed chan struct{}
	began  chan struct{}
	once   sync.Once

	mu    sync.Mutex
	specs []tools.Spec
}

func newDesk() *desk {
	spec := func(name string) tools.Spec {
		return tools.Spec{Name: name, Description: "does " + name, Parameters: json.RawMessage(`{"type":"object","properties":{"x":{"type":"string"}}}`)}
	}
	return &desk{closed: make(chan struct{}), began: make(chan struct{}, 10), specs: []tools.Spec{spec("say"), spec("hang"), spec("fail"), spec("draw")}}
}

func (d *desk) Specs() []tools.Spec {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]tools.Spec(nil), d.specs...)
}

func (d *desk) Call(ctx context.Context, name, arguments string) (tools.Result, error) {
	d.began <- struct{}{}
	switch name {
	case "hang":
		select {
		case <-ctx.Done():
		case <-d.closed:
		}
		return tools.Result{}, context.Canceled
	case "fail":
		return tools.Failed("it could not be done\x1b[2J"), nil
	case "draw":
		return tools.Result{Status: tools.StatusOK, Text: "drawn", Images: []tools.Image{{MIME: "image/png", Data: []byte("png")}}}, nil
	}
	d.mu.Lock()
	d.specs[0].Description = "says it really"
	d.mu.Unlock()
	return tools.Result{Status: tools.StatusExitNonzero, Program: &tools.Program{ExitCode: 3, Head: []byte("said " + arguments)}}, nil
}

func (d *desk) Close(context.Context) error {
	d.once.Do(func() { close(d.closed) })
	return nil
}

func (d *desk) gone(t *testing.T) {
	t.Helper()
	select {
	case <-d.closed:
	case <-time.After(time.Minute):
		t.Fatal("the workbench is still there")
	}
}

// shop serves one desk.
func shop(d *desk) *serve.Server {
	return &serve.Server{Version: "test", New: func(func() string) (serve.Workbench, error) { return d, nil }, Failed: func(error) {}}
}

// foreign is a client made with another library.
func foreign(t *testing.T, how transport.Interface) *client.Client {
	t.Helper()
	c := client.NewClient(how)
	assert.NilError(t, c.Start(t.Context()))
	var hello third.InitializeRequest
	hello.Params.ProtocolVersion = "2025-06-18"
	hello.Params.ClientInfo = third.Implementation{Name: "foreign", Version: "9"}
	got, err := c.Initialize(t.Context(), hello)
	assert.NilError(t, err)
	assert.Equal(t, got.ServerInfo.Name, "drydock")
	assert.Assert(t, strings.Contains(got.Instructions, "sandbox"))
	return c
}

func ask(t *testing.T, c *client.Client, name string, arguments any) *third.CallToolResult {
	t.Helper()
	var r third.CallToolRequest
	r.Params.Name, r.Params.Arguments = name, arguments
	res, err := c.CallTool(t.Context(), r)
	assert.NilError(t, err)
	return res
}

func text(t *testing.T, res *third.CallToolResult) string {
	t.Helper()
	content, ok := res.Content[0].(third.TextContent)
	assert.Assert(t, ok, "%T", res.Content[0])
	return content.Text
}

// uses is what a client does with the tools.
func uses(t *testing.T, c *client.Client) {
	t.Helper()
	list, err := c.ListTools(t.Context(), third.ListToolsRequest{})
	assert.NilError(t, err)
	assert.Equal(t, len(list.Tools), 4)
	res := ask(t, c, "say", map[string]any{"x": "y"})
	assert.Equal(t, text(t, res), "said {\"x\":\"y\"}\n[exit code 3]\n")
	assert.Assert(t, !res.IsError)
	res = ask(t, c, "fail", nil)
	assert.Equal(t, text(t, res), "it could not be done")
	assert.Assert(t, res.IsError)
	res = ask(t, c, "draw", nil)
	picture, ok := res.Content[1].(third.ImageContent)
	assert.Assert(t, ok && picture.MIMEType == "image/png" && picture.Data == "cG5n", "%v", res.Content)
	list, err = c.ListTools(t.Context(), third.ListToolsRequest{})
	assert.NilError(t, err)
	for _, tool := range list.Tools {
		assert.Assert(t, tool.Name != "say" || tool.Description == "says it really")
	}
}

// overStdio serves a desk over pipes and gives the client's transport, the end of
// its input, and the end of the serving.
func overStdio(ctx context.Context, d *desk) (transport.Interface, io.Closer, chan error) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := shop(d).Stdio(ctx, in, out)
		_ = out.Close()
		ended <- err
	}()
	return transport.NewIO(fromServer, toServer, io.NopCloser(strings.NewReader(""))), toServer, ended
}

func TestForeignClientOnStdio(t *testing.T) {
	t.Parallel()
	d := newDesk()
	how, input, ended := overStdio(t.Context(), d)
	c := foreign(t, how)
	uses(t, c)
	assert.NilError(t, input.Close())
	d.gone(t)
	assert.NilError(t, <-ended)
}

// The end of the input ends the session, also in the middle of a call, and so
// does a signal.
func TestSessionEndsWithItsClient(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"input ends", "signal"} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		d := newDesk()
		how, input, ended := overStdio(ctx, d)
		c := foreign(t, how)
		go func() {
			var r third.CallToolRequest
			r.Params.Name = "hang"
			_, _ = c.CallTool(ctx, r)
		}()
		<-d.began
		if way == "signal" {
			cancel()
		} else {
			assert.NilError(t, input.Close())
		}
		d.gone(t)
		err := <-ended
		assert.Equal(t, err != nil, way == "signal", "%v", err)
	}
}

// overHTTP serves desks over HTTP and gives the address.
func overHTTP(t *testing.T, idle time.Duration, makes func() *desk) (string, context.CancelFunc) {
	t.Helper()
	l, err := serve.Listen("127.0.0.1:0")
	assert.NilError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	s := &serve.Server{Version: "test", New: func(func() string) (serve.Workbench, error) { return makes(), nil }, Failed: func(error) {}}
	go func() {
		defer close(ended)
		_ = s.HTTP(ctx, l, "the-token", idle)
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return "http://" + l.Addr().String() + serve.Path, cancel
}

func foreignHTTP(t *testing.T, address string) *client.Client {
	t.Helper()
	how, err := transport.NewStreamableHTTP(address, transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer the-token"}))
	assert.NilError(t, err)
	return foreign(t, how)
}

func TestForeignClientOverHTTP(t *testing.T) {
	t.Parallel()
	d := newDesk()
	address, _ := overHTTP(t, time.Hour, func() *desk { return d })
	c := foreignHTTP(t, address)
	uses(t, c)
	go func() {
		var r third.CallToolRequest
		r.Params.Name = "hang"
		_, _ = c.CallTool(t.Context(), r)
	}()
	for range 4 { // three calls before, and this one
		<-d.began
	}
	// The foreign client's own goodbye forgets the token.
	r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, address, nil)
	assert.NilError(t, err)
	r.Header.Set("Authorization", "Bearer the-token")
	r.Header.Set("Mcp-Session-Id", c.GetSessionId())
	resp, err := http.DefaultClient.Do(r)
	assert.NilError(t, err)
	_ = resp.Body.Close()
	assert.Equal(t, resp.StatusCode, http.StatusNoContent)
	d.gone(t)
}

func TestClientsOverHTTPGo(t *testing.T) {
	t.Parallel()
	idle := newDesk()
	address, _ := overHTTP(t, 300*time.Millisecond, func() *desk { return idle })
	ask(t, foreignHTTP(t, address), "say", nil)
	idle.gone(t)

	stopped := newDesk()
	address, stop := overHTTP(t, time.Hour, func() *desk { return stopped })
	ask(t, foreignHTTP(t, address), "say", nil)
	stop()
	stopped.gone(t)
}

func TestStrangersAreRefusedOverHTTP(t *testing.T) {
	t.Parallel()
	address, _ := overHTTP(t, time.Hour, newDesk)
	for _, c := range []struct {
		name, header, value string
		code                int
	}{
		{"no token", "", "", http.StatusUnauthorized},
		{"wrong token", "Authorization", "Bearer the-tokem", http.StatusUnauthorized},
		{"a page", "Origin", "https://evil.example", http.StatusForbidden},
		{"a rebound name", "Host", "evil.example", http.StatusForbidden},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		assert.NilError(t, err)
		if c.header != "" {
			r.Header.Set(c.header, c.value)
		}
		if c.header == "Host" {
			r.Host = c.value
		}
		resp, err := http.DefaultClient.Do(r)
		assert.NilError(t, err)
		assert.Equal(t, resp.StatusCode, c.code, c.name)
		_ = resp.Body.Close()
	}
	for _, address := range []string{"0.0.0.0:0", ":8080", "example.com:80", "127.0.0.1", "192.168.1.2:80"} {
		l, err := serve.Listen(address)
		assert.ErrorContains(t, err, "is not an address of this machine alone", "%v", l)
	}
}
