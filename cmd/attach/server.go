package attach

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"drydock/runtime"
	"drydock/sandbox/wire"
)

// version is that of the exchange on the socket.
const version = 1

// Bounds of the exchange before the frames.
const (
	maxGreeting  = 256 << 10 // bytes of a request or a verdict
	greetingTime = 10 * time.Second
	partingTime  = time.Second // for telling a person why they are sent away
)

// request is what a client asks for.
type request struct {
	Version int `json:"v"`
	wire.AttachRequest
}

// verdict is what the server says to it.
type verdict struct {
	Error string `json:"error,omitempty"` // why it is refused
}

// Sandbox is what the server lets people into.
type Sandbox interface {
	Attach(ctx context.Context, req wire.AttachRequest) (io.ReadWriteCloser, error)
}

// Server lets people in until it is closed.
type Server struct {
	box      Sandbox
	dir      string
	listener *net.UnixListener
	cancel   context.CancelFunc
	running  sync.WaitGroup

	mu     sync.Mutex
	guests map[*guest]struct{}
	reason string // why it was closed
}

// guest is one person's connection.
type guest struct {
	conn    *net.UnixConn
	writing sync.Mutex
	done    bool
}

// Serve makes the socket in a run's directory and serves it.
func Serve(dir string, box Sandbox) (*Server, error) {
	l, err := listen(dir)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{box: box, dir: dir, listener: l, cancel: cancel, guests: map[*guest]struct{}{}}
	s.running.Go(func() { s.accept(ctx) })
	return s, nil
}

// Close tells everyone why they must leave, ends their programs and removes the
// socket. It may be called again.
func (s *Server) Close(reason string) {
	s.mu.Lock()
	if s.reason != "" {
		s.mu.Unlock()
		return
	}
	s.reason = reason
	_ = s.listener.Close()
	_ = os.Remove(filepath.Join(s.dir, runtime.SocketFile))
	for g := range s.guests {
		s.running.Go(func() { g.dismiss(reason) })
	}
	s.mu.Unlock()
	s.cancel()
	s.running.Wait()
}

func (s *Server) accept(ctx context.Context) {
	for {
		conn, err := s.listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(100 * time.Millisecond) // too many open files, for example
			continue
		}
		s.mu.Lock()
		if s.reason == "" {
			g := &guest{conn: conn}
			s.guests[g] = struct{}{}
			s.running.Go(func() { s.serve(ctx, g) })
		} else {
			_ = conn.Close()
		}
		s.mu.Unlock()
	}
}

func (s *Server) serve(ctx context.Context, g *guest) {
	defer func() {
		s.mu.Lock()
		delete(s.guests, g)
		s.mu.Unlock()
		_ = g.conn.Close()
	}()
	in := bufio.NewReader(g.conn)
	stream, err := s.admit(ctx, g.conn, in)
	answer := verdict{}
	if err != nil {
		answer.Error = err.Error()
	}
	if sayErr := writeLine(g.conn, answer); err != nil || sayErr != nil {
		return
	}
	go func() {
		_, _ = io.Copy(stream, in)
		_ = stream.Close() // the person is gone, and their program goes too
	}()
	g.forward(stream)
	_ = stream.Close()
}

// admit looks at who asks and for what, and starts it.
func (s *Server) admit(ctx context.Context, conn *net.UnixConn, in *bufio.Reader) (io.ReadWriteCloser, error) {
	uid, err := peer(conn)
	if err != nil {
		return nil, err
	}
	if own := os.Geteuid(); uid != own && uid != 0 {
		return nil, errors.New("the run belongs to another user")
	}
	_ = conn.SetReadDeadline(time.Now().Add(greetingTime))
	var req request
	if err := readLine(in, &req); err != nil {
		return nil, fmt.Errorf("read request: %w", err)
	}
	_ = conn.SetReadDeadline(time.Time{})
	if req.Version != version {
		return nil, fmt.Errorf("the run's drydock speaks version %d and this one %d: use the same drydock", version, req.Version)
	}
	return s.box.Attach(ctx, req.AttachRequest)
}

// forward hands the program's frames on until the last one.
func (g *guest) forward(stream io.Reader) {
	for {
		kind, data, err := wire.ReadFrame(stream)
		if err != nil {
			g.dismiss("the sandbox does not answer any more")
			return
		}
		if g.write(kind, data) != nil || kind == wire.FrameExit {
			return
		}
	}
}

func (g *guest) write(kind wire.FrameKind, data []byte) error {
	g.writing.Lock()
	defer g.writing.Unlock()
	if g.done {
		return net.ErrClosed
	}
	g.done = kind == wire.FrameExit || kind == wire.FrameClosed
	return wire.WriteFrame(g.conn, kind, data)
}

// dismiss sends the last frame and hangs up. A client that takes nothing does not
// hold it up.
func (g *guest) dismiss(reason string) {
	_ = g.conn.SetWriteDeadline(time.Now().Add(partingTime))
	_ = g.write(wire.FrameClosed, []byte(reason))
	_ = g.conn.Close()
}

func writeLine(w io.Writer, v any) error {
	raw, err := json.Marshal(v)
	if err == nil {
		_, err = w.Write(append(raw, '\n'))
	}
	return err
}

// readLine reads JSON up to the end of its line, and nothing behind it.
func readLine(r *bufio.Reader, into any) error {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxGreeting {
			return fmt.Errorf("it is over %d bytes", maxGreeting)
		}
		if err == nil {
			return json.Unmarshal(line, into)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
