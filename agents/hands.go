package agents

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"drydock/runtime"
	"drydock/runtime/workspace"
	"drydock/sandbox"
	"drydock/tools"
)

// Hands are a sandbox and its tools for an agent that is somewhere else. The
// sandbox is made with the first call. Beside the session's tools there are patch
// and reset. The methods are safe for concurrent use; calls run one after another.
type Hands struct {
	names  []string
	policy sandbox.Policy
	open   Opener
	own    *tools.Registry // patch and reset

	turn   chan struct{} // held by who calls
	ending chan struct{} // closed at the end
	end    sync.Once
	closed bool
	calls  int
	work   *served // nil before the first call

	mu    sync.Mutex
	specs []tools.Spec
}

// Opener makes the session when it is needed. What it returns beside is called
// once the session is over and all of it is recorded.
type Opener func(ctx context.Context) (s *Session, over func(), err error)

// served is the session behind hands.
type served struct {
	session *Session
	over    func()
	record  runtime.Record
	spool   io.Closer
	base    *workspace.Snapshot
	house   *housing
	lost    error // why there is no sandbox any more
}

// ErrOver means that the hands were closed.
var ErrOver = errors.New("the session is over")

// NewHands makes hands with the named tools. open makes the session when it is
// needed; its preset and policy must be the ones given here.
func NewHands(names []string, policy sandbox.Policy, open Opener) (*Hands, error) {
	h := &Hands{names: names, policy: policy, open: open, turn: make(chan struct{}, 1), ending: make(chan struct{})}
	var err error
	if h.own, err = tools.NewRegistry(patchTool{h}, resetTool{h}); err != nil {
		return nil, err
	}
	specs, err := describe(names, policy)
	if err != nil {
		return nil, err
	}
	h.specs = append(specs, h.own.Specs()...)
	return h, nil
}

// Specs describes the tools: before the first call as a full image has them,
// then as they are.
func (h *Hands) Specs() []tools.Spec {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.specs
}

// Call runs one call. An error means that there is no sandbox and why; a later
// call may find one.
func (h *Hands) Call(ctx context.Context, name, arguments string) (tools.Result, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-h.ending:
			stop()
		case <-ctx.Done():
		}
	}()
	if err := h.take(ctx); err != nil {
		return tools.Result{}, err
	}
	defer func() { <-h.turn }()
	if h.closed {
		return tools.Result{}, ErrOver
	}
	if err := h.begin(ctx); err != nil {
		return tools.Result{}, err
	}
	res, err := h.perform(ctx, name, arguments)
	select {
	case <-h.ending:
		if err != nil {
			err = ErrOver
		}
	default:
	}
	return res, err
}

func (h *Hands) take(ctx context.Context) error {
	select {
	case h.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin opens the session, once.
func (h *Hands) begin(ctx context.Context) error {
	if h.work != nil {
		return nil
	}
	s, over, err := h.open(ctx)
	if err != nil {
		return err
	}
	w := &served{session: s, over: over, record: s.begin(time.Now())}
	if err := w.move(ctx); err != nil {
		w.conclude(ctx, failure(ctx, runtime.Outcome{}, err))
		return err
	}
	h.work = w
	h.learn(w.house.tools)
	return nil
}

// learn takes the tools as the image really has them.
func (h *Hands) learn(real *tools.Registry) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.specs = append(real.Specs(), h.own.Specs()...)
}

// move makes the sandbox with the workspace in it.
func (w *served) move(ctx context.Context) error {
	spool, err := w.session.spool()
	if err != nil {
		return err
	}
	w.spool = spool
	if w.base, err = w.session.snapshot(ctx, spool); err == nil {
		w.house, err = w.session.house(ctx, w.base)
	}
	if err != nil {
		_ = spool.Close()
	}
	return err
}

// perform runs a call and records it.
func (h *Hands) perform(ctx context.Context, name, arguments string) (tools.Result, error) {
	w := h.work
	h.calls++
	id := strconv.Itoa(h.calls)
	w.session.emit(runtime.ToolStarted{ID: id, Name: name, Args: asJSON(arguments)})
	res, err := h.dispatch(ctx, name, arguments)
	w.session.emit(completed(id, name, res, 0, err, ctx.Err() != nil))
	return res, err
}

func (h *Hands) dispatch(ctx context.Context, name, arguments string) (tools.Result, error) {
	w := h.work
	if h.own.Offers(name) {
		return h.own.Call(ctx, name, arguments)
	}
	if w.lost == nil {
		res, err := w.house.Call(ctx, name, arguments)
		var lost *sandbox.LostError
		if !errors.As(err, &lost) || ctx.Err() != nil {
			return res, err
		}
		w.lost = lost
	}
	return tools.Result{Status: tools.StatusLost, Text: fmt.Sprintf(
		"The sandbox was lost: %v. Call %s for a new one, with the files as they were at the start.", w.lost, resetName)}, nil
}

// Close ends the session: the patch is written, and the sandbox removed. A call
// that runs is interrupted. It may be called again.
func (h *Hands) Close(ctx context.Context) error {
	h.end.Do(func() { close(h.ending) })
	if err := h.take(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	defer func() { <-h.turn }()
	if h.closed {
		return nil
	}
	h.closed = true
	if h.work == nil {
		return nil
	}
	return h.work.close(ctx, h.calls)
}

func (w *served) close(ctx context.Context, calls int) error {
	s := w.session
	w.house.leave("the session has ended, and its sandbox with it")
	out := runtime.Outcome{State: runtime.StateFinished, Reason: runtime.ReasonDone, ToolCalls: calls, Duration: time.Since(w.record.Started)}
	err := w.lost
	if err == nil {
		err = s.takePatch(ctx, w.house.box, w.base)
	}
	if err != nil {
		out.State, out.Reason, out.Err = runtime.StateFailed, runtime.ReasonError, err
	}
	if closeErr := w.house.box.Close(ctx); closeErr != nil {
		s.warn(fmt.Errorf("remove the sandbox: %w", closeErr))
		err = errors.Join(err, closeErr)
	}
	_ = w.spool.Close()
	w.conclude(ctx, out)
	return err
}

func (w *served) conclude(ctx context.Context, out runtime.Outcome) {
	w.session.conclude(ctx, out, w.record, out.Err == nil)
	w.over()
}
