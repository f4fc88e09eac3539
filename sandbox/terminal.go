package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"drydock/sandbox/wire"
)

// Terminal does something with a session on a terminal; path is one of the
// wire.PathTerminal routes. Where it waits, a timeout of 0 is ten seconds; longer
// than the policy's maximum is cut to it. What the screen shows comes from the
// sandbox, escape sequences taken out but otherwise as it is.
func (s *Sandbox) Terminal(ctx context.Context, path string, req wire.TerminalRequest) (wire.TerminalAnswer, error) {
	limit := min(max(req.Until.Timeout, 0), s.policy.MaxTimeout)
	req.Until.Timeout = limit
	var a wire.TerminalAnswer
	err := s.within(ctx, "use a terminal", path, limit, req, &a)
	return a, err
}

// Attach starts a program for a person and gives the stream of frames to and from
// it (wire.Frame). Closing the stream ends the program.
func (s *Sandbox) Attach(ctx context.Context, req wire.AttachRequest) (io.ReadWriteCloser, error) {
	const op = "attach to the sandbox"
	raw, err := json.Marshal(req)
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, guestHost+wire.PathTerminalAttach, nil)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", wire.AttachProtocol)
	r.Header.Set(wire.OptionsHeader, string(raw))
	resp, err := s.http.Do(r)
	if err != nil {
		return nil, s.fail(ctx, op, unwrapURL(err))
	}
	if resp.StatusCode != http.StatusSwitchingProtocols {
		defer resp.Body.Close()
		return nil, s.fail(ctx, op, refusal(resp))
	}
	stream, ok := resp.Body.(io.ReadWriteCloser)
	if !ok {
		_ = resp.Body.Close()
		return nil, s.fail(ctx, op, errors.New("the guest's answer is no stream"))
	}
	return stream, nil
}
