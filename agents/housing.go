package agents

import (
	"context"
	"errors"
	"fmt"
	"time"

	"drydock/runtime"
	"drydock/runtime/workspace"
	"drydock/sandbox"
	"drydock/tools"
)

// housing is the sandbox that a run is in now, with its tools. It implements
// Toolbox for whatever sandbox that is: one that is lost is replaced where the
// policy says so.
type housing struct {
	session *Session
	base    *workspace.Snapshot
	box     *sandbox.Sandbox
	tools   *tools.Registry
	spare   int                 // how many more sandboxes may be made
	leave   func(reason string) // sends people away who are in the sandbox
}

// house opens a run's sandbox.
func (s *Session) house(ctx context.Context, base *workspace.Snapshot) (*housing, error) {
	h := &housing{session: s, base: base}
	if s.Policy.OnLoss == sandbox.LossReplaces {
		h.spare = 1
	}
	start, fill, err := h.move(ctx)
	if err != nil {
		return nil, err
	}
	_, size := base.Tar()
	s.emit(runtime.SandboxReady{
		StartMS: start.Milliseconds(), CopyMS: fill.Milliseconds(),
		Files: base.Len(), Bytes: size, Missing: h.tools.Withheld(), Digest: base.Digest(),
	})
	return h, nil
}

// move makes a sandbox with the workspace as it was at the start. It gives the
// times that starting and filling took.
func (h *housing) move(ctx context.Context) (start, fill time.Duration, err error) {
	s := h.session
	began := time.Now()
	box, err := s.Client.Create(ctx, s.Engine, s.Dir.ID, s.Policy)
	if err != nil {
		return 0, 0, err
	}
	ready := time.Now()
	err = s.fill(ctx, box, h.base)
	if err == nil {
		h.tools, err = NewToolbox(s.Preset.Tools, box)
	}
	if err != nil {
		return 0, 0, errors.Join(err, box.Close(ctx))
	}
	h.box = box
	filled := time.Now()
	s.enterServers(ctx, box)
	h.admit()
	return ready.Sub(began), filled.Sub(ready), nil
}

// admit lets people into the sandbox while the agent works.
func (h *housing) admit() {
	h.leave = func(string) {}
	if h.session.Attach == nil {
		return
	}
	leave, err := h.session.Attach(h.box)
	if err != nil {
		h.session.warn(fmt.Errorf("let shells in: %w", err))
		return
	}
	h.leave = leave
}

// Specs describes the tools. Those of MCP servers can change at any time, the
// others are the same in every sandbox of a run.
func (h *housing) Specs() []tools.Spec { return h.offered().Specs() }

// offered are the sandbox's tools and those of the MCP servers.
func (h *housing) offered() *tools.Registry {
	more := h.session.serverTools()
	if len(more) == 0 {
		return h.tools
	}
	all, err := h.tools.With(more...)
	if err != nil { // no name of theirs is one of ours
		h.session.warn(fmt.Errorf("tools of MCP servers are left out: %w", err))
		return h.tools
	}
	return all
}

// Call runs one call. When its sandbox is lost and can be replaced, the model is
// told so in the call's answer.
func (h *housing) Call(ctx context.Context, name, arguments string) (tools.Result, error) {
	res, err := h.offered().Call(ctx, name, arguments)
	var lost *sandbox.LostError
	if !errors.As(err, &lost) || h.spare == 0 || ctx.Err() != nil {
		return res, err
	}
	h.spare--
	if err := h.replace(ctx, lost.Error(), "the sandbox was lost"); err != nil {
		return res, fmt.Errorf("replace a lost sandbox: %w", err)
	}
	return tools.Result{Status: tools.StatusLost, Duration: res.Duration, Text: fmt.Sprintf(
		"The sandbox was lost (%v) and replaced: files and state are as at the start of the task.", brief(lost))}, nil
}

// brief is what was seen and what the engine said, without what drydock did.
func brief(lost *sandbox.LostError) string {
	if lost.State == "" {
		return lost.Err.Error()
	}
	return fmt.Sprintf("%v; its container: %s", lost.Err, lost.State)
}

// replace gives the sandbox up for a new one. reason is for the record, parting
// for people who are in it.
func (h *housing) replace(ctx context.Context, reason, parting string) error {
	h.leave(parting)
	h.session.leaveServers()
	if err := h.box.Close(ctx); err != nil {
		return err
	}
	start, fill, err := h.move(ctx)
	if err != nil {
		return err
	}
	h.session.emit(runtime.SandboxReplaced{Reason: reason, StartMS: start.Milliseconds(), CopyMS: fill.Milliseconds()})
	return nil
}
