package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// handshake is the version that is offered first. Newer versions begin without
// a handshake, which makes many servers of older ones end.
const handshake = "2025-11-25"

// link is a live connection to a server.
type link struct {
	session *sdk.ClientSession
	program *pipes  // nil for a server behind an address
	sieve   *filter // of a program
	changes chan struct{}
	cancel  context.CancelFunc

	closing sync.Once
}

// dial connects to a server. ctx bounds the start; life is how long the
// connection may last.
func (s *server) dial(ctx, life context.Context) (*link, error) {
	l, err := s.greet(ctx, life, handshake)
	var refused *jsonrpc.Error
	if ctx.Err() == nil && errors.As(err, &refused) && slices.Contains(newerOnly, refused.Code) {
		if newer, newerErr := s.greet(ctx, life, ""); newerErr == nil {
			return newer, nil
		}
	}
	return l, err
}

// newerOnly are the answers to the handshake of a server that has done away with it.
var newerOnly = []int64{sdk.CodeUnsupportedProtocolVersion, jsonrpc.CodeMethodNotFound, jsonrpc.CodeInvalidParams}

func (s *server) greet(ctx, life context.Context, version string) (*link, error) {
	if s.spec.Transport != AnyHTTP {
		return s.open(ctx, life, s.spec.Transport, version)
	}
	l, err := s.open(ctx, life, HTTP, version)
	var refused *jsonrpc.Error
	if err == nil || ctx.Err() != nil || errors.As(err, &refused) {
		return l, err
	}
	// The older transport is the fallback that the protocol names.
	if older, olderErr := s.open(ctx, life, SSE, version); olderErr == nil {
		return older, nil
	}
	return nil, err
}

// open does one attempt. The connection lasts as long as life, not as ctx.
func (s *server) open(ctx, life context.Context, transport Transport, version string) (*link, error) {
	life, cancel := context.WithCancel(life)
	l := &link{changes: make(chan struct{}, 1), cancel: cancel}
	stop := context.AfterFunc(ctx, cancel)
	t, err := s.transport(life, l, transport)
	if err == nil {
		client := sdk.NewClient(&sdk.Implementation{Name: "drydock", Version: s.options.Version}, &sdk.ClientOptions{
			Capabilities:           &sdk.ClientCapabilities{}, // no roots, no sampling, no elicitation
			ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { l.changed() },
		})
		l.session, err = client.Connect(life, t, &sdk.ClientSessionOptions{ProtocolVersion: version})
	}
	if stop() && err == nil {
		return l, nil
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	} else {
		err = l.explain(err)
	}
	l.close()
	return nil, err
}

func (s *server) transport(life context.Context, l *link, transport Transport) (sdk.Transport, error) {
	if transport == Stdio {
		err := s.program(life, l)
		if err != nil {
			return nil, err
		}
		return &sdk.IOTransport{Reader: io.NopCloser(l.sieve), Writer: l.program.in, MaxLineLength: maxMessage + 1}, nil
	}
	client, err := httpClient(&s.spec)
	if err != nil {
		return nil, err
	}
	if transport == SSE {
		return &sdk.SSEClientTransport{Endpoint: s.spec.URL, HTTPClient: client, MaxEventSize: maxMessage}, nil
	}
	return &sdk.StreamableClientTransport{Endpoint: s.spec.URL, HTTPClient: client, MaxEventSize: maxMessage}, nil
}

// program starts the server's program.
func (s *server) program(life context.Context, l *link) (err error) {
	if s.spec.Where == InSandbox {
		l.program, err = startBoxed(life, s.box, &s.spec, s.log)
	} else {
		l.program, err = startProcess(&s.spec, s.options.Getenv, s.log)
	}
	if err == nil {
		l.sieve = newFilter(l.program.out, s.log, l.changed)
	}
	return err
}

func (l *link) changed() {
	select {
	case l.changes <- struct{}{}:
	default:
	}
}

// explain says why a connection broke, where there is more to say than that.
func (l *link) explain(err error) error {
	var answered *jsonrpc.Error
	if l.program == nil || (errors.As(err, &answered) && !errors.Is(err, sdk.ErrConnectionClosed)) {
		return err
	}
	if why := l.sieve.failure(); why != nil {
		return why
	}
	if within(l.program.done, 300*time.Millisecond) {
		return errors.New(l.program.how())
	}
	return err
}

// close ends the connection and the program. It does not wait for a server that
// does not answer.
func (l *link) close() {
	l.closing.Do(func() {
		if l.session != nil {
			closed := make(chan struct{})
			go func() {
				defer close(closed)
				_ = l.session.Close()
			}()
			if l.program == nil {
				within(closed, leave)
			}
		}
		if l.program != nil {
			l.program.end()
		}
		l.cancel()
	})
}

// errSlow is the end of a start that takes too long.
func errSlow(limit time.Duration) error {
	return fmt.Errorf("it was not ready within %s", limit)
}
