package serve

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Path is where the protocol is served over HTTP.
const Path = "/mcp"

// maxBody bounds a request, in bytes: a command, code or file of the largest
// size that the tools take, as JSON.
const maxBody = 48 << 20

// maxClients bounds the clients that have a sandbox at a time.
const maxClients = 16

// partTime bounds what is still sent to clients at the end.
const partTime = 2 * time.Second

// HTTP serves clients on a listener of this machine until ctx ends. Who has not
// the token, or comes by a web page, is refused. A client that says nothing for
// as long as idle loses its sandbox.
func (s *Server) HTTP(ctx context.Context, l net.Listener, token string, idle time.Duration) error {
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server {
		b, err := s.bench()
		if err != nil {
			s.Failed(err)
			return nil
		}
		return b.server
	}, &sdk.StreamableHTTPOptions{SessionTimeout: idle, MaxRequestBodyBytes: maxBody})
	mux := http.NewServeMux()
	mux.HandleFunc(Path, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete { // the library would wait for a call that runs
			s.dismiss(r.Context(), r.Header.Get("Mcp-Session-Id"))
		}
		handler.ServeHTTP(w, r)
	})
	web := &http.Server{Handler: guard(token, mux), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(l) }()
	var err error
	select {
	case err = <-ended:
		err = fmt.Errorf("serve over HTTP: %w", err)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	s.closeAll(ctx)
	part, cancel := context.WithTimeout(context.WithoutCancel(ctx), partTime)
	defer cancel()
	_ = web.Shutdown(part)
	_ = web.Close()
	return err
}

// follow closes a client's workbench when the client goes. It says whether there
// is room for the client.
func (s *Server) follow(b *bench, session *sdk.ServerSession) bool {
	b.mu.Lock()
	b.session = session
	b.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.benches) >= maxClients || s.over {
		return false
	}
	if s.benches == nil {
		s.benches = map[*bench]struct{}{}
	}
	s.benches[b] = struct{}{}
	s.open.Go(func() {
		_ = session.Wait()
		s.drop(context.Background(), b)
	})
	return true
}

// dismiss closes the workbench of a session.
func (s *Server) dismiss(ctx context.Context, session string) {
	s.mu.Lock()
	var leaving *bench
	for b := range s.benches {
		if session != "" && b.session.ID() == session {
			leaving = b
		}
	}
	s.mu.Unlock()
	if leaving != nil {
		s.drop(ctx, leaving)
	}
}

func (s *Server) drop(ctx context.Context, b *bench) {
	if err := b.work.Close(ctx); err != nil {
		s.Failed(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.benches, b)
}

// closeAll ends all clients' work, at once, and waits for it.
func (s *Server) closeAll(ctx context.Context) {
	s.mu.Lock()
	s.over = true
	for b := range s.benches {
		s.open.Go(func() {
			s.drop(ctx, b)
			_ = b.session.Close()
		})
	}
	s.mu.Unlock()
	s.open.Wait()
}

// guard lets in who has the token and is on this machine. A page in a browser has
// an origin, and a name that somebody else's server leads to this machine by has
// another host.
func guard(token string, next http.Handler) http.Handler {
	want := sha256.Sum256([]byte("Bearer " + token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := sha256.Sum256([]byte(r.Header.Get("Authorization")))
		switch {
		case !loopback(r.Host):
			http.Error(w, "the host must be this machine, such as 127.0.0.1", http.StatusForbidden)
		case r.Header.Get("Origin") != "" && !ownOrigin(r.Header.Get("Origin")):
			http.Error(w, "pages of other sites are not served", http.StatusForbidden)
		case subtle.ConstantTimeCompare(got[:], want[:]) != 1:
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the token is missing or wrong: send Authorization: Bearer TOKEN", http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

func ownOrigin(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && loopback(u.Host)
}

// loopback says whether an address, with or without a port, is this machine's own.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.Trim(address, "[]")
	}
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// Listen opens an address of this machine only, such as 127.0.0.1:8765.
func Listen(address string) (net.Listener, error) {
	if !loopback(address) || !strings.Contains(address, ":") {
		return nil, fmt.Errorf("%q is not an address of this machine alone; give one such as 127.0.0.1:8765", address)
	}
	return net.Listen("tcp", address)
}
