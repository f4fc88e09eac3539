package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/runtime"
	"drydock/runtime/llm"
)

// steps plays steps; the last one goes on for ever.
type steps struct {
	play   []func(ctx context.Context) (runtime.Step, error)
	taken  int
	nudges int
}

func (s *steps) Step(ctx context.Context, n int) (runtime.Step, error) {
	s.taken = n
	return s.play[min(n, len(s.play))-1](ctx)
}

func (s *steps) Nudge(string) { s.nudges++ }

func gives(step runtime.Step, err error) func(context.Context) (runtime.Step, error) {
	return func(context.Context) (runtime.Step, error) { return step, err }
}

// busy is a step that gets somewhere.
func busy() func(context.Context) (runtime.Step, error) {
	n := 0
	return func(context.Context) (runtime.Step, error) {
		n++
		return runtime.Step{ToolCalls: 1, Usage: llm.Usage{InputTokens: 10, OutputTokens: 5}, Cost: 0.25, Fingerprint: fmt.Sprint(n)}, nil
	}
}

func waits(ctx context.Context) (runtime.Step, error) {
	<-ctx.Done()
	return runtime.Step{}, ctx.Err()
}

func TestLoopEnds(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name   string
		budget runtime.Budget
		play   []func(context.Context) (runtime.Step, error)
		reason runtime.Reason
		state  runtime.State
		taken  int
	}{
		{"done", runtime.Budget{}, []func(context.Context) (runtime.Step, error){busy(), gives(runtime.Step{Done: &runtime.Done{Success: true, Answer: "42"}}, nil)}, runtime.ReasonDone, runtime.StateFinished, 2},
		{"gave up", runtime.Budget{}, []func(context.Context) (runtime.Step, error){gives(runtime.Step{Done: &runtime.Done{}}, nil)}, runtime.ReasonGaveUp, runtime.StateFailed, 1},
		{"error", runtime.Budget{}, []func(context.Context) (runtime.Step, error){gives(runtime.Step{}, broken)}, runtime.ReasonError, runtime.StateFailed, 1},
		{"steps", runtime.Budget{Steps: 3}, []func(context.Context) (runtime.Step, error){busy()}, runtime.ReasonSteps, runtime.StateFailed, 3},
		{"tokens", runtime.Budget{Tokens: 40}, []func(context.Context) (runtime.Step, error){busy()}, runtime.ReasonTokens, runtime.StateFailed, 3},
		{"tokens in", runtime.Budget{TokensIn: 25}, []func(context.Context) (runtime.Step, error){busy()}, runtime.ReasonTokensIn, runtime.StateFailed, 3},
		{"tokens out", runtime.Budget{TokensOut: 6}, []func(context.Context) (runtime.Step, error){busy()}, runtime.ReasonTokensOut, runtime.StateFailed, 2},
		{"cost", runtime.Budget{Cost: 0.9}, []func(context.Context) (runtime.Step, error){busy()}, runtime.ReasonCost, runtime.StateFailed, 4},
		{"an end that is no failure", runtime.Budget{}, []func(context.Context) (runtime.Step, error){busy(), gives(runtime.Step{}, fmt.Errorf("step: %w", &runtime.EndError{Reason: runtime.ReasonContext}))}, runtime.ReasonContext, runtime.StateFailed, 2},
		{"time", runtime.Budget{Time: 10 * time.Millisecond}, []func(context.Context) (runtime.Step, error){busy(), waits}, runtime.ReasonTime, runtime.StateFailed, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &steps{play: c.play}
			loop := runtime.Loop{Budget: c.budget}
			out, err := loop.Run(t.Context(), s)
			assert.NilError(t, err)
			assert.Equal(t, out.Reason, c.reason)
			assert.Equal(t, s.taken, c.taken)
			state, why := loop.State()
			assert.Equal(t, state, c.state)
			assert.Equal(t, why, c.reason)
		})
	}
}

func TestInterruptedRunIsNeitherAnErrorNorATimeout(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := &steps{play: []func(context.Context) (runtime.Step, error){func(ctx context.Context) (runtime.Step, error) {
		cancel()
		return waits(ctx)
	}}}
	loop := runtime.Loop{Budget: runtime.Budget{Time: time.Hour}}
	out, err := loop.Run(ctx, s)
	assert.NilError(t, err)
	assert.Equal(t, out.Reason, runtime.ReasonInterrupted)
}

func TestRepetitionIsNudgedThenStopped(t *testing.T) {
	s := &steps{play: []func(context.Context) (runtime.Step, error){gives(runtime.Step{Fingerprint: "same"}, nil)}}
	var loop runtime.Loop
	out, err := loop.Run(t.Context(), s)
	assert.NilError(t, err)
	assert.Equal(t, out.Reason, runtime.ReasonRepeating)
	assert.Equal(t, s.nudges, 1)
	assert.Equal(t, s.taken, 6)
}

// round plays fingerprints in turns, up to some steps, and then others.
func round(steps int, fingerprints ...string) func(context.Context) (runtime.Step, error) {
	n := 0
	return func(context.Context) (runtime.Step, error) {
		n++
		if n > steps {
			return runtime.Step{Done: &runtime.Done{Success: true}}, nil
		}
		return runtime.Step{Fingerprint: fingerprints[(n-1)%len(fingerprints)]}, nil
	}
}

func TestRoundsOfStepsAreRepetition(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		play   func(context.Context) (runtime.Step, error)
		reason runtime.Reason
		taken  int
		nudges int
	}{
		"pairs":             {round(100, "a", "b"), runtime.ReasonRepeating, 12, 1},
		"threes":            {round(100, "a", "b", "c"), runtime.ReasonRepeating, 18, 1},
		"a pair of equals":  {round(100, "a", "a", "b"), runtime.ReasonRepeating, 18, 1},
		"two pairs only":    {round(5, "a", "b"), runtime.ReasonDone, 6, 0},
		"long rounds":       {round(30, "a", "b", "c", "d", "e"), runtime.ReasonDone, 31, 0},
		"told, then better": {round(9, "a", "a", "a", "a", "b", "c", "d", "e", "f"), runtime.ReasonDone, 10, 1},
		"told twice":        {round(8, "a", "a", "a", "b", "c", "c", "c", "d"), runtime.ReasonDone, 9, 2},
		"cannot repeat":     {round(30, ""), runtime.ReasonDone, 31, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &steps{play: []func(context.Context) (runtime.Step, error){c.play}}
			var loop runtime.Loop
			out, err := loop.Run(t.Context(), s)
			assert.NilError(t, err)
			assert.Equal(t, out.Reason, c.reason)
			assert.Equal(t, s.taken, c.taken)
			assert.Equal(t, s.nudges, c.nudges)
		})
	}
}

func TestACostLimitNeedsPrices(t *testing.T) {
	t.Parallel()
	priced := llm.Facts{Prices: &llm.Prices{Input: 1}}
	assert.NilError(t, runtime.Budget{Cost: 1}.Check(priced))
	assert.NilError(t, runtime.Budget{}.Check(llm.Facts{}))
	assert.ErrorIs(t, runtime.Budget{Cost: 1}.Check(priced, llm.Facts{}), runtime.ErrNoPrices)
}

func TestLoopRunsOnce(t *testing.T) {
	var loop runtime.Loop
	state, _ := loop.State()
	assert.Equal(t, state, runtime.StateIdle)
	s := &steps{play: []func(context.Context) (runtime.Step, error){gives(runtime.Step{Done: &runtime.Done{Success: true}}, nil)}}
	_, err := loop.Run(t.Context(), s)
	assert.NilError(t, err)
	_, err = loop.Run(t.Context(), s)
	assert.ErrorIs(t, err, runtime.ErrRunning)
}
