package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"drydock/tools"
)

// remote is one tool of a server.
type remote struct {
	server *server
	tool   string // its name there
	spec   tools.Spec
}

// Spec describes the tool.
func (r *remote) Spec() tools.Spec { return r.spec }

// Run has the server do one call. Whatever fails there is an observation.
func (r *remote) Run(ctx context.Context, raw json.RawMessage) (tools.Result, error) {
	s := r.server
	if _, err := tools.Object(raw); err != nil {
		return tools.Rejected(fmt.Sprintf("%s: %v.", r.spec.Name, err), r.spec.Example), nil
	}
	note, err := s.ready(ctx)
	if ctx.Err() != nil {
		return tools.Result{}, ctx.Err()
	}
	if err != nil {
		return tools.Failed(fmt.Sprintf("The MCP server %s is not there: %v. Nothing was called. Go on without it, or call again later.", s.spec.Name, err)), nil
	}
	l, reason := s.current()
	if l == nil {
		return tools.Failed(fmt.Sprintf("The MCP server %s has gone: %v. Nothing was called; call again.", s.spec.Name, reason)), nil
	}
	limited, cancel := context.WithTimeout(ctx, s.spec.Call)
	defer cancel()
	answer, err := s.ask(limited, l, &sdk.CallToolParams{Name: r.tool, Arguments: raw})
	if err != nil {
		return r.failed(ctx, limited, l, err)
	}
	res := s.result(answer)
	res.Text += note
	return res, nil
}

// ask sends a call and waits for its answer. The library does not give up what it
// is writing: a server that reads nothing is ended instead.
func (s *server) ask(ctx context.Context, l *link, params *sdk.CallToolParams) (*sdk.CallToolResult, error) {
	var answer *sdk.CallToolResult
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		answer, err = l.session.CallTool(ctx, params)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		if !within(done, leave) {
			_ = s.lose(l, errors.New("it took nothing in any more"))
			<-done
		}
	}
	return answer, err
}

// ready makes sure that there is a connection. note is for the model when it is
// another one than before.
func (s *server) ready(ctx context.Context) (note string, err error) {
	l, reason := s.current()
	if l != nil {
		return "", nil
	}
	if err := s.start(ctx); err != nil {
		return "", err
	}
	return fmt.Sprintf("\n[the server %s had gone (%v) and was started anew before this call, without what it knew]\n", s.spec.Name, reason), nil
}

// failed says what became of a call that has no result.
func (r *remote) failed(ctx, limited context.Context, l *link, err error) (tools.Result, error) {
	s := r.server
	var answered *jsonrpc.Error
	switch {
	case ctx.Err() != nil:
		return tools.Result{}, ctx.Err()
	case limited.Err() != nil:
		return tools.Result{Status: tools.StatusTimeout, Text: fmt.Sprintf(
			"The MCP server %s did not answer within %s. The call was given up; what it has done is not known.", s.spec.Name, s.spec.Call)}, nil
	case !errors.Is(err, sdk.ErrConnectionClosed) && errors.As(err, &answered):
		return tools.Failed(fmt.Sprintf("The MCP server %s refused the call: %s (code %d).",
			s.spec.Name, oneLine(s.spec.redact(answered.Message), maxReason), answered.Code)), nil
	}
	reason := s.lose(l, err)
	text := fmt.Sprintf("The MCP server %s has gone: %v. What the call has done is not known. ", s.spec.Name, reason)
	began := time.Now()
	if err := s.start(ctx); err != nil {
		if ctx.Err() != nil {
			return tools.Result{}, ctx.Err()
		}
		return tools.Failed(text + fmt.Sprintf("It could not be started again: %v.", err)), nil
	}
	return tools.Failed(text + fmt.Sprintf("It was started again in %d ms, without what it knew; call again.", time.Since(began).Milliseconds())), nil
}
