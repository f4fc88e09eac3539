package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"drydock/sandbox/wire"
)

// Sandbox is where programs of servers with Where InSandbox run.
type Sandbox interface {
	Attach(ctx context.Context, req wire.AttachRequest) (io.ReadWriteCloser, error)
}

// startBoxed runs a server in a sandbox. ctx lasts as long as the program may.
func startBoxed(ctx context.Context, box Sandbox, spec *Spec, log io.Writer) (*pipes, error) {
	stream, err := box.Attach(ctx, wire.AttachRequest{Argv: append([]string{spec.Command}, spec.Args...), Dir: spec.Dir, Env: spec.Env})
	if err != nil {
		return nil, err
	}
	out, said := io.Pipe()
	var once sync.Once
	end := "it ended"
	p := &pipes{in: &framed{stream: stream}, out: out, done: make(chan struct{})}
	p.how = func() string { return end }
	p.end = func() {
		once.Do(func() { _ = stream.Close() }) // the guest ends the program, and all it started
		_ = out.Close()
		<-p.done
	}
	go func() {
		defer close(p.done)
		var err error
		end, err = demultiplex(stream, said, log)
		_ = said.CloseWithError(err)
	}()
	return p, nil
}

// demultiplex hands a program's streams on until it ends, and says how that was.
func demultiplex(stream io.Reader, out, log io.Writer) (string, error) {
	for {
		kind, data, err := wire.ReadFrame(stream)
		if err != nil {
			return "the connection to it broke off", errStream
		}
		switch kind {
		case wire.FrameOutput:
			if _, err := out.Write(data); err != nil {
				return "it was ended", err
			}
		case wire.FrameError:
			_, _ = log.Write(data)
		case wire.FrameExit:
			var status wire.FrameStatus
			_ = json.Unmarshal(data, &status)
			if status.Failure != "" {
				return "it could not be started: " + oneLine(status.Failure, maxReason), io.EOF
			}
			return fmt.Sprintf("it ended with exit code %d", status.ExitCode), io.EOF
		}
	}
}

// framed sends what is written to it as frames.
type framed struct{ stream io.WriteCloser }

func (f *framed) Write(p []byte) (int, error) {
	for sent := 0; sent < len(p); {
		n := min(len(p)-sent, wire.MaxFrame)
		if err := wire.WriteFrame(f.stream, wire.FrameInput, p[sent:sent+n]); err != nil {
			return sent, err
		}
		sent += n
	}
	return len(p), nil
}

// Close ends the program's input.
func (f *framed) Close() error { return wire.WriteFrame(f.stream, wire.FrameInput, nil) }
