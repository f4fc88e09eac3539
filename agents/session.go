package agents

import (
	"context"
	"errors"
	"fmt"
	"time"

	"drydock/runtime"
	"drydock/runtime/llm"
	"drydock/runtime/workspace"
	"drydock/sandbox"
	"drydock/sandbox/wire"
	"drydock/tools/mcp"
)

// Session is one run: a task for an agent, in a sandbox of its own.
type Session struct {
	Client    *sandbox.Client
	Engine    sandbox.Engine
	Model     llm.Model
	ModelName string
	Facts     llm.Facts // of Model
	// Reserve is how many tokens of the window are kept for an answer, 0 to choose.
	Reserve int
	// Summary sums up turns that no longer fit the window. It may be nil, which is
	// Model; SummaryFacts are of another one. With NoSummary no model is asked: the
	// turns are listed.
	Summary      llm.Model
	SummaryFacts llm.Facts
	NoSummary    bool
	Preset       Preset
	Policy       sandbox.Policy
	Budget       runtime.Budget
	Task         string
	Repo         string // directory copied in, "" for an empty workspace
	Limits       workspace.Limits
	Artifacts    []string // paths in the sandbox to copy out, from the workspace on or absolute
	Dir          runtime.RunDir
	Recorder     *runtime.Recorder
	ImageID      string            // content address of the policy's image, to be recorded
	Settings     map[string]string // what the run was configured with, to be recorded
	// Observe, where it is set, sees every event of the session once it is
	// recorded, but the end before. What it returns is recorded as well.
	Observe func(runtime.Payload) []runtime.Payload
	// Servers are the MCP servers whose tools the agent gets too; nil for none.
	// They are started here, and ended by whoever made them.
	Servers *mcp.Set
	// Attach, where it is set, lets people into the sandbox while the agent works.
	// What it returns sends them away, and may be called twice.
	Attach func(*sandbox.Sandbox) (end func(reason string), err error)
	// ExitCode turns an outcome into the code the run will be known by.
	ExitCode func(context.Context, runtime.Outcome) int

	unrecorded func() // ends the work, set while there is any
}

// patchLimit bounds getting the patch out, also of a run that was interrupted.
const patchLimit = 2 * time.Minute

// Run takes the session from the task to the result. The run directory holds
// everything afterwards, however it went, and the sandbox is gone. Whatever
// ended the run is in the outcome.
func (s *Session) Run(ctx context.Context) runtime.Outcome {
	began := time.Now()
	record := s.begin(began)
	patch := false
	var out runtime.Outcome
	err := s.Budget.Check(s.models()...)
	if err == nil {
		out, err = s.inSandbox(ctx, &patch)
	}
	if err != nil {
		out = failure(ctx, out, err)
	}
	out.Duration = time.Since(began)
	s.conclude(ctx, out, record, patch)
	return out
}

// begin writes what there is to write at the start.
func (s *Session) begin(now time.Time) runtime.Record {
	record := runtime.Record{ID: s.Dir.ID, Task: s.Task, Agent: s.Preset.Name, Model: s.ModelName, Image: s.Policy.Image, Repo: s.Repo, Started: now.UTC()}
	s.emit(runtime.RunStarted{Task: s.Task, Agent: s.Preset.Name, Model: s.ModelName, Image: s.Policy.Image, Repo: s.Repo, Policy: describePolicy(s.Policy), ImageID: s.ImageID, Settings: s.Settings})
	if err := s.Dir.WriteRecord(record); err != nil {
		s.warn(err)
	}
	return record
}

// failure is the outcome of a run that an error ended.
func failure(ctx context.Context, out runtime.Outcome, err error) runtime.Outcome {
	out.State, out.Reason, out.Err = runtime.StateFailed, runtime.ReasonError, err
	if ctx.Err() != nil {
		out.Reason = runtime.ReasonInterrupted
	}
	return out
}

// inSandbox copies the workspace in, lets the agent work, and gets the patch
// out, whatever came of the work.
func (s *Session) inSandbox(ctx context.Context, patched *bool) (runtime.Outcome, error) {
	spool, err := s.spool()
	if err != nil {
		return runtime.Outcome{}, err
	}
	defer func() { _ = spool.Close() }()
	base, err := s.snapshot(ctx, spool)
	if err != nil {
		return runtime.Outcome{}, err
	}
	s.startServers(ctx)
	h, err := s.house(ctx, base)
	if err != nil {
		return runtime.Outcome{}, err
	}
	defer func() {
		if err := h.box.Close(ctx); err != nil {
			s.warn(fmt.Errorf("remove the sandbox: %w", err))
		}
	}()
	out, err := s.work(ctx, h)
	h.leave("the run has ended, and its sandbox with it")
	s.leaveServers()
	if err != nil {
		return out, err
	}
	var lost *sandbox.LostError
	if errors.As(out.Err, &lost) {
		return out, nil // nothing to get out of it any more
	}
	if err := s.takePatch(ctx, h.box, base); err != nil {
		err = fmt.Errorf("get the patch out: %w", err)
		s.warn(err)
		if out.Err == nil && ctx.Err() == nil { // a success without its patch is none
			out.State, out.Reason, out.Err = runtime.StateFailed, runtime.ReasonError, err
		}
		return out, nil
	}
	*patched = true
	if err := s.takeArtifacts(ctx, h.box); err != nil {
		err = fmt.Errorf("get the artifacts out: %w", err)
		s.warn(err)
		if out.Err == nil && ctx.Err() == nil && !errors.As(err, &lost) {
			out.State, out.Reason, out.Err = runtime.StateFailed, runtime.ReasonError, err
		}
	}
	return out, nil
}

func (s *Session) fill(ctx context.Context, box *sandbox.Sandbox, base *workspace.Snapshot) error {
	archive, _ := base.Tar()
	if err := box.CopyIn(ctx, s.Policy.Workdir, archive); err != nil {
		return fmt.Errorf("copy the workspace in: %w", err)
	}
	return nil
}

// work lets the agent loop.
func (s *Session) work(ctx context.Context, h *housing) (runtime.Outcome, error) {
	data := promptData(s.Policy, h.box.Hello(), h.tools)
	preset := s.withServers(s.Preset, &data)
	agent, err := NewAgent(s.Model, h, preset, data, s.Task, s.emit)
	if err != nil {
		return runtime.Outcome{}, err
	}
	if err := agent.Bound(s.bounds()); err != nil {
		return runtime.Outcome{}, err
	}
	agent.KeepOutputs(runtime.NewOutputs(s.Dir))
	loop := runtime.Loop{Budget: s.Budget}
	out, err := s.recorded(ctx, func(ctx context.Context) (runtime.Outcome, error) { return loop.Run(ctx, agent) })
	if e := out.Estimated; e != (llm.Usage{}) && s.Budget.OfTokens() {
		s.emit(runtime.Warning{Text: fmt.Sprintf("the model's server did not count all tokens; about %d in and %d out were added for the limits", e.InputTokens, e.OutputTokens)})
	}
	return out, err
}

// recorded stops the work when it can no longer be recorded, as on a full disk:
// what nobody can look at later should not be paid for.
func (s *Session) recorded(ctx context.Context, work func(context.Context) (runtime.Outcome, error)) (runtime.Outcome, error) {
	working, stop := context.WithCancel(ctx)
	defer stop()
	s.unrecorded = stop
	out, err := work(working)
	s.unrecorded = nil
	if lost := s.Recorder.Err(); lost != nil && ctx.Err() == nil {
		out.Reason, out.State, out.Err = runtime.ReasonError, runtime.StateFailed, lost
	}
	return out, err
}

// takePatch writes patch.diff. The run's own end must not prevent it, so it has
// time of its own.
func (s *Session) takePatch(ctx context.Context, box *sandbox.Sandbox, base *workspace.Snapshot) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patchLimit)
	defer cancel()
	if err := box.Quiesce(ctx); err != nil {
		s.warn(fmt.Errorf("end what still runs in the sandbox: %w", err))
	}
	_, err := s.writePatch(ctx, box, base)
	return err
}

// writePatch compares the workspace with how it went in.
func (s *Session) writePatch(ctx context.Context, box *sandbox.Sandbox, base *workspace.Snapshot) (workspace.Patch, error) {
	// A walk hashes nothing larger, so nothing larger can be compared.
	limits := workspace.PatchLimits{MaxFileBytes: wire.MaxHash}
	patch, err := workspace.Diff(ctx, base, result{box, s.Policy.Workdir}, limits)
	if err != nil {
		return patch, err
	}
	if err := s.Dir.WriteFile(runtime.PatchFile, patch.Bytes); err != nil {
		return patch, err
	}
	ready := runtime.PatchReady{Path: s.Dir.File(runtime.PatchFile), Bytes: int64(len(patch.Bytes)), Files: len(patch.Files), Notes: patch.Notes}
	for _, f := range patch.Files {
		ready.Additions += f.Additions
		ready.Deletions += f.Deletions
	}
	s.emit(ready)
	return patch, nil
}

// conclude writes what is left to write; the end is the last event.
func (s *Session) conclude(ctx context.Context, out runtime.Outcome, record runtime.Record, patched bool) {
	code := s.ExitCode(ctx, out)
	if out.Answer != "" {
		if err := s.Dir.WriteFile(runtime.AnswerFile, []byte(out.Answer+"\n")); err != nil {
			s.warn(err)
		}
	}
	record.Ended, record.Reason, record.ExitCode = time.Now().UTC(), out.Reason, code
	if err := s.Dir.WriteRecord(record); err != nil {
		s.warn(err)
	}
	end := runtime.RunEnded{
		OK: code == 0, Reason: out.Reason, ExitCode: code, Answer: out.Answer, Turns: out.Steps,
		ToolCalls: out.ToolCalls, Usage: out.Usage, Estimated: out.Estimated, DurationMS: out.Duration.Milliseconds(),
	}
	if s.priced() {
		end.CostUSD = &out.Cost
	}
	if out.Err != nil {
		end.Error = out.Err.Error()
	}
	if patched {
		end.Patch = s.Dir.File(runtime.PatchFile)
	}
	s.observe(end)
	s.Recorder.Emit(end)
}

func (s *Session) observe(p runtime.Payload) {
	if s.Observe == nil {
		return
	}
	for _, more := range s.Observe(p) {
		s.Recorder.Emit(more)
	}
}

func (s *Session) emit(p runtime.Payload) {
	s.Recorder.Emit(p)
	s.observe(p)
	if s.unrecorded != nil && s.Recorder.Err() != nil {
		s.unrecorded()
	}
}

func (s *Session) warn(err error) { s.emit(runtime.Warning{Text: err.Error()}) }

// describePolicy is the policy as events show it.
func describePolicy(p sandbox.Policy) map[string]any {
	return map[string]any{
		"memory_bytes": p.MemoryBytes, "cpus": p.CPUs, "pids": p.Pids, "network": p.Network,
		"tool_timeout_s": p.Timeout.Seconds(), "runtime": p.Runtime, "user": fmt.Sprintf("%d:%d", p.UID, p.GID),
	}
}
