package attach

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"sync"
	"syscall"
	"time"

	"drydock/sandbox/wire"
)

// Why a run cannot be attached to.
var (
	// ErrNotLive means that nobody serves the run's sandbox.
	ErrNotLive = errors.New("it is not live: it has ended, or has not started its sandbox yet")
	// ErrNotYours means that the run belongs to another user.
	ErrNotYours = errors.New("it belongs to another user")
)

// Client is a connection to a program in a sandbox. One goroutine may receive
// while others send.
type Client struct {
	conn    net.Conn
	in      *bufio.Reader
	writing sync.Mutex
}

// Dial asks the process that owns the run in dir for a program.
func Dial(dir string, req wire.AttachRequest) (*Client, error) {
	conn, err := dial(dir)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, ErrNotYours
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return nil, ErrNotLive
	case err != nil:
		return nil, fmt.Errorf("connect: %w", err)
	}
	c := &Client{conn: conn, in: bufio.NewReader(conn)}
	if err := c.greet(req); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return c, nil
}

func (c *Client) greet(req wire.AttachRequest) error {
	const patience = 60 * time.Second // the sandbox may stand still for a while
	_ = c.conn.SetDeadline(time.Now().Add(patience))
	if err := writeLine(c.conn, request{version, req}); err != nil {
		return fmt.Errorf("ask for a shell: %w", err)
	}
	var said verdict
	if err := readLine(c.in, &said); err != nil {
		if errors.Is(err, io.EOF) {
			return ErrNotLive
		}
		return fmt.Errorf("wait for a shell: %w", err)
	}
	if said.Error != "" {
		return errors.New(said.Error)
	}
	return c.conn.SetDeadline(time.Time{})
}

// Close hangs up, which ends the program if it still runs.
func (c *Client) Close() error { return c.conn.Close() }

// Input sends what was typed. Nothing at all is the end of the input.
func (c *Client) Input(data []byte) error {
	for len(data) > wire.MaxFrame {
		if err := c.send(wire.FrameInput, data[:wire.MaxFrame]); err != nil {
			return err
		}
		data = data[wire.MaxFrame:]
	}
	return c.send(wire.FrameInput, data)
}

// Resize tells the terminal's new size.
func (c *Client) Resize(rows, cols int) error {
	raw, err := json.Marshal(wire.FrameSize{Rows: rows, Cols: cols})
	if err != nil {
		return err
	}
	return c.send(wire.FrameResize, raw)
}

func (c *Client) send(kind wire.FrameKind, data []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	return wire.WriteFrame(c.conn, kind, data)
}

// EndedError means that the program was ended from outside, and says why.
type EndedError struct{ Reason string }

func (e *EndedError) Error() string { return e.Reason }

// Receive writes what the program prints until it ends, and gives its exit code:
// 128 and the signal where one ended it. An *EndedError says why it could not go on.
func (c *Client) Receive(out, errOut io.Writer) (int, error) {
	for {
		kind, data, err := wire.ReadFrame(c.in)
		if err != nil {
			return 0, &EndedError{"the connection to the run broke off"}
		}
		switch kind {
		case wire.FrameOutput:
			_, err = out.Write(data)
		case wire.FrameError:
			_, err = errOut.Write(data)
		case wire.FrameClosed:
			return 0, &EndedError{string(data)}
		case wire.FrameExit:
			return exitOf(data)
		}
		if err != nil {
			return 0, fmt.Errorf("print output: %w", err)
		}
	}
}

func exitOf(data []byte) (int, error) {
	var status wire.FrameStatus
	if err := json.Unmarshal(data, &status); err != nil {
		return 0, fmt.Errorf("read the exit code: %w", err)
	}
	if status.Failure != "" {
		return 0, errors.New(status.Failure)
	}
	return status.ExitCode & 0xff, nil
}
