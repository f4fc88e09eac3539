package main

import (
	"context"
	"errors"
	"os"
	"syscall"

	"drydock/cmd/config"
	"drydock/runtime"
	"drydock/runtime/llm"
	"drydock/runtime/memory"
	"drydock/runtime/workspace"
	"drydock/sandbox"
)

// The exit codes, which scripts rely on.
const (
	exitDone     = 0
	exitFailed   = 1   // the agent gave up, or something unexpected happened
	exitUsage    = 2   // command line or configuration
	exitLimit    = 3   // a budget was used up; what was done is kept
	exitAuth     = 4   // key missing or refused
	exitModel    = 5   // the model's endpoint failed
	exitEngine   = 6   // engine, image or sandbox
	exitTimeout  = 124 // the run's time limit, as timeout(1) has it
	exitSIGINT   = 130
	exitSIGTERM  = 143
	exitCodeHelp = `Exit codes of drydock:

  0    the agent finished and said it succeeded
  1    the run failed: the agent gave up, or something unexpected happened;
       of replay: it is not as the recorded run was
  2    the command line or the configuration is wrong
  3    a limit was reached (turns, tokens, cost, repetition, the model's context
       window); what was done is kept
  4    the model key is missing, cannot be read, or was refused
  5    the model's endpoint failed, retries included
  6    the container engine, the image or the sandbox failed
  124  the run's time limit was reached; what was done is kept
  130  interrupted (Ctrl-C), after cleaning up
  143  terminated, after cleaning up
`
)

// usageError is a mistake on the command line.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// keyError is a model key that is configured but cannot be had.
type keyError struct{ err error }

func (e keyError) Error() string { return e.err.Error() }
func (e keyError) Unwrap() error { return e.err }

// signalError is the cause of a context that a signal ended.
type signalError struct{ sig os.Signal }

func (e signalError) Error() string { return "stopped by signal: " + e.sig.String() }

// exitCode is the one table from errors to exit codes.
func exitCode(err error) int {
	var (
		usage   usageError
		key     keyError
		dir     *workspace.DirError
		size    *workspace.LimitError
		conf    *config.Error
		sig     signalError
		engine  *sandbox.EngineError
		image   *sandbox.ImageError
		lost    *sandbox.LostError
		model   *llm.Error
		window  *memory.SizeError
		already codeError
	)
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &already):
		return int(already)
	case errors.As(err, &sig):
		return signalCode(sig.sig)
	case errors.As(err, &key):
		return exitAuth
	case errors.As(err, &usage), errors.As(err, &conf), errors.As(err, &dir), errors.As(err, &size),
		errors.As(err, &window), errors.Is(err, runtime.ErrNoPrices):
		return exitUsage
	case errors.As(err, &engine), errors.As(err, &image), errors.As(err, &lost):
		return exitEngine
	case errors.As(err, &model):
		return modelCode(model)
	}
	return exitFailed
}

func modelCode(err *llm.Error) int {
	if err.Kind == llm.KindAuth {
		return exitAuth
	}
	return exitModel
}

func signalCode(sig os.Signal) int {
	if sig == syscall.SIGTERM {
		return exitSIGTERM
	}
	return exitSIGINT
}

// codeError ends the program with a code after everything has been said.
type codeError int

func (codeError) Error() string { return "" }

// outcomeCode is the exit code of a run that came to an outcome.
func outcomeCode(ctx context.Context, o runtime.Outcome) int {
	switch o.Reason {
	case runtime.ReasonDone, runtime.ReasonReplayed:
		return exitDone
	case runtime.ReasonSteps, runtime.ReasonTokens, runtime.ReasonTokensIn, runtime.ReasonTokensOut, runtime.ReasonCost,
		runtime.ReasonContext, runtime.ReasonRepeating:
		return exitLimit
	case runtime.ReasonTime:
		return exitTimeout
	case runtime.ReasonInterrupted:
		return exitCode(context.Cause(ctx))
	case runtime.ReasonError:
		return exitCode(o.Err)
	}
	return exitFailed
}
