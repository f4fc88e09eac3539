package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/cmd/config"
	"drydock/runtime"
	"drydock/runtime/llm"
	"drydock/runtime/memory"
	"drydock/runtime/workspace"
	"drydock/sandbox"
)

func TestExitCodeOfErrors(t *testing.T) {
	fault := errors.New("fault")
	for _, tt := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{fault, 1},
		{&workspace.ConflictError{}, 1},
		{usageError{fault}, 2},
		{errors.Join(fault, &config.Error{}), 2},
		{&workspace.LimitError{}, 2},
		{&workspace.DirError{}, 2},
		{&memory.SizeError{}, 2},
		{runtime.ErrNoPrices, 2},
		{keyError{&config.Error{}}, 4},
		{&llm.Error{Kind: llm.KindAuth}, 4},
		{&llm.Error{Kind: llm.KindOverloaded}, 5},
		{&llm.Error{Kind: llm.KindContextOverflow}, 5},
		{&sandbox.EngineError{Err: fault}, 6},
		{&sandbox.ImageError{Err: fault}, 6},
		{&sandbox.LostError{Err: fault}, 6},
		{signalError{syscall.SIGINT}, 130},
		{signalError{syscall.SIGTERM}, 143},
		{errors.Join(nil, codeError(6)), 6},
	} {
		wrapped := tt.err
		if wrapped != nil {
			wrapped = fmt.Errorf("while testing: %w", wrapped)
		}
		assert.Equal(t, exitCode(wrapped), tt.want, "%T %v", tt.err, tt.err)
	}
}

func TestExitCodeOfOutcomes(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(signalError{syscall.SIGTERM})
	for reason, want := range map[runtime.Reason]int{
		runtime.ReasonDone: 0, runtime.ReasonGaveUp: 1, runtime.ReasonSteps: 3, runtime.ReasonTokens: 3,
		runtime.ReasonTokensIn: 3, runtime.ReasonTokensOut: 3, runtime.ReasonCost: 3, runtime.ReasonContext: 3,
		runtime.ReasonRepeating: 3, runtime.ReasonTime: 124, runtime.ReasonInterrupted: 143,
	} {
		assert.Equal(t, outcomeCode(ctx, runtime.Outcome{Reason: reason}), want, "%s", reason)
	}
	lost := runtime.Outcome{Reason: runtime.ReasonError, Err: &sandbox.LostError{Err: errors.New("gone")}}
	assert.Equal(t, outcomeCode(ctx, lost), 6)
}

// Whoever reads the help can rely on it.
func TestHelpNamesEveryExitCode(t *testing.T) {
	for _, code := range []int{exitDone, exitFailed, exitUsage, exitLimit, exitAuth, exitModel, exitEngine, exitTimeout, exitSIGINT, exitSIGTERM} {
		assert.Assert(t, strings.Contains(exitCodeHelp, fmt.Sprintf("\n  %-3d  ", code)), "%d", code)
	}
}

func TestErrorsAreOneLine(t *testing.T) {
	assert.Equal(t, oneLine(errors.Join(errors.New("a\nb\n"), errors.New("c"))), "a; b; c")
	assert.Equal(t, oneLine(nil), "")
}
