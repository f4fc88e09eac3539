package sandbox

import (
	"context"
	"time"

	"drydock/sandbox/wire"
)

// Shell runs a command in the persistent shell. A limit of 0 is the policy's
// timeout; longer than its maximum is cut to it. With restart a fresh shell is
// started first.
func (s *Sandbox) Shell(ctx context.Context, command string, limit time.Duration, restart bool) (wire.Result, error) {
	limit = s.limit(limit)
	return s.call(ctx, "run a shell command", wire.PathShell, limit,
		wire.ShellRequest{Command: command, Restart: restart, Timeout: limit})
}

// Python runs code in the persistent interpreter. With reset a fresh one is
// started first.
func (s *Sandbox) Python(ctx context.Context, code string, limit time.Duration, reset bool) (wire.Result, error) {
	limit = s.limit(limit)
	return s.call(ctx, "run Python code", wire.PathPython, limit,
		wire.PythonRequest{Code: code, Reset: reset, Timeout: limit})
}

// PythonFresh runs code in an interpreter of its own. Nothing of it is left when
// the call ends, and the persistent interpreter is not touched.
func (s *Sandbox) PythonFresh(ctx context.Context, code string, limit time.Duration) (wire.Result, error) {
	limit = s.limit(limit)
	return s.call(ctx, "run Python code", wire.PathPython, limit,
		wire.PythonRequest{Code: code, Fresh: true, Timeout: limit})
}

// Exec runs one program to its end, apart from the persistent shell.
func (s *Sandbox) Exec(ctx context.Context, req wire.ExecRequest) (wire.Result, error) {
	req.Timeout = s.limit(req.Timeout)
	return s.call(ctx, "run a program", wire.PathExec, req.Timeout, req)
}

func (s *Sandbox) call(ctx context.Context, op, path string, limit time.Duration, req any) (wire.Result, error) {
	var res wire.Result
	if err := s.within(ctx, op, path, limit, req, &res); err != nil {
		return wire.Result{}, err
	}
	return res, nil
}

// within makes a call that the guest answers in a limit of time.
func (s *Sandbox) within(ctx context.Context, op, path string, limit time.Duration, req, into any) error {
	return s.fail(ctx, op, s.post(dueIn(ctx, limit), path, req, into))
}

func (s *Sandbox) limit(d time.Duration) time.Duration {
	if d <= 0 {
		return s.policy.Timeout
	}
	return min(d, s.policy.MaxTimeout)
}

// Quiesce ends everything that runs for the model, the shell and the
// interpreter included, so that nothing changes files any more. Later calls
// start afresh.
func (s *Sandbox) Quiesce(ctx context.Context) error {
	return s.fail(ctx, "end all processes", s.post(ctx, wire.PathQuiet, struct{}{}, &struct{}{}))
}

// Stats reads the sandbox's counters.
func (s *Sandbox) Stats(ctx context.Context) (wire.Stats, error) {
	var st wire.Stats
	err := s.get(ctx, wire.PathStats, nil, &st)
	return st, s.fail(ctx, "read counters", err)
}
