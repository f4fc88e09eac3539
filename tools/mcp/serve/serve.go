// Package serve offers tools to clients of the Model Context Protocol, on
// standard input and output or over HTTP on this machine.
package serve

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"drydock/tools"
)

// Workbench is what one client works with. It is cheap until its first call.
type Workbench interface {
	// Specs are the tools as they are known; they may change with a call.
	Specs() []tools.Spec
	// Call runs one call. An error is told to the client as a failed call.
	Call(ctx context.Context, name, arguments string) (tools.Result, error)
	// Close ends the work, a running call too. It may be called again.
	Close(ctx context.Context) error
}

// Server makes a workbench for each client.
type Server struct {
	Version string // of drydock
	// New makes a client's workbench. about says who the client is, once that is
	// known.
	New func(about func() string) (Workbench, error)
	// Failed is told what ended without a client to tell it to.
	Failed func(error)

	open    sync.WaitGroup
	mu      sync.Mutex
	over    bool // no client is let in any more
	benches map[*bench]struct{}
}

const instructions = `All tools work in one sandbox, a container made for this session: bash, Python, files and terminals see the same workspace and keep their state between calls. Nothing outside of it changes. The tool "patch" shows what has changed in the workspace so far; "reset" begins anew.`

// sessionful are the protocol's versions that know sessions. In newer ones each
// request stands alone, and no sandbox could outlast one.
var sessionful = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// bench is a client's workbench with its server.
type bench struct {
	owner   *Server
	work    Workbench
	server  *sdk.Server
	session *sdk.ServerSession // set with the first call

	first    sync.Once
	admitted bool // there was room for one more client

	mu    sync.Mutex
	shown map[string]string // descriptions as the client knows them
}

// Stdio serves one client until its input ends or ctx does. Nothing but the
// protocol is written to out.
func (s *Server) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
	b, err := s.bench()
	if err != nil {
		return err
	}
	err = b.server.Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(in), Writer: unclosed{out}})
	s.closeAll(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("serve the client: %w", err)
	}
	return nil
}

type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// bench makes a server for one client.
func (s *Server) bench() (*bench, error) {
	b := &bench{owner: s, shown: map[string]string{}}
	var err error
	if b.work, err = s.New(b.client); err != nil {
		return nil, err
	}
	b.server = sdk.NewServer(&sdk.Implementation{Name: "drydock", Title: "drydock sandbox", Version: s.Version}, &sdk.ServerOptions{
		Instructions: instructions, SupportedProtocolVersions: sessionful,
		Capabilities: &sdk.ServerCapabilities{}, // and what follows from the tools
	})
	b.show()
	return b, nil
}

// client says who the client is.
func (b *bench) client() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.session == nil || b.session.InitializeParams() == nil || b.session.InitializeParams().ClientInfo == nil {
		return "unknown client"
	}
	info := b.session.InitializeParams().ClientInfo
	return info.Name + " " + info.Version
}

// show offers the tools as they are. The library tells the client of changes.
func (b *bench) show() {
	b.mu.Lock()
	defer b.mu.Unlock()
	offered := map[string]bool{}
	for _, spec := range b.work.Specs() {
		offered[spec.Name] = true
		if b.shown[spec.Name] == spec.Description {
			continue
		}
		b.shown[spec.Name] = spec.Description
		b.server.AddTool(&sdk.Tool{Name: spec.Name, Description: spec.Description, InputSchema: spec.Parameters}, b.handle)
	}
	for name := range b.shown {
		if !offered[name] {
			delete(b.shown, name)
			b.server.RemoveTools(name)
		}
	}
}

// handle runs a client's call.
func (b *bench) handle(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	b.first.Do(func() { b.admitted = b.owner.follow(b, r.Session) })
	if !b.admitted {
		return answer(tools.Failed(fmt.Sprintf("There are %d clients with a sandbox already, which is the most there can be. Come back when one has gone.", maxClients)), nil), nil
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go report(ctx, r)
	arguments := string(r.Params.Arguments)
	if arguments == "null" { // as some clients say that there are none
		arguments = ""
	}
	res, err := b.work.Call(ctx, r.Params.Name, arguments)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	b.show()
	return answer(res, err), nil
}

// beat is how often a client that wants to know hears that a call goes on:
// clients give up calls of which they hear nothing.
const beat = 10 * time.Second

func report(ctx context.Context, r *sdk.CallToolRequest) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return
	}
	began := time.Now()
	tick := time.NewTicker(beat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			passed := time.Since(began).Seconds()
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: passed, Message: fmt.Sprintf("running for %.0f s", passed)})
		}
	}
}
