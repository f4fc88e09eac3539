package agents_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/agents"
	"drydock/runtime"
	"drydock/runtime/llm"
	"drydock/runtime/memory"
	"drydock/tools"
	"drydock/tools/terminate"
)

func newBody(raw []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(raw)) }

// newAgent makes an agent with one tool and terminate.
func newAgent(t *testing.T, model llm.Model, task string, tool tools.Tool, emit func(runtime.Payload)) *agents.Agent {
	t.Helper()
	registry, err := tools.NewRegistry(tool, terminate.Tool{})
	assert.NilError(t, err)
	preset := agents.Preset{Name: "test", System: "Work in {{.Workdir}}.", ObservationLimit: 24_000}
	agent, err := agents.NewAgent(model, registry, preset, agents.PromptData{Workdir: "/workspace"}, task, emit)
	assert.NilError(t, err)
	return agent
}

// server is a model as its server may be: fn answers the n-th call, from 1.
type server struct {
	fn    func(n int, req llm.Request) (llm.Response, error)
	calls int
}

func (s *server) Complete(_ context.Context, req llm.Request) (llm.Response, error) {
	s.calls++
	if err := memory.Validate(req.Messages); err != nil {
		return llm.Response{}, err
	}
	return s.fn(s.calls, req)
}

func notes(n int, texts ...string) llm.Response {
	m := llm.Message{Role: llm.RoleAssistant}
	for i, text := range texts {
		m.ToolCalls = append(m.ToolCalls, llm.ToolCall{ID: fmt.Sprintf("c%d_%d", n, i), Name: "note", Arguments: fmt.Sprintf("{%q:%q}", "text", text)})
	}
	return llm.Response{Message: m, FinishReason: llm.FinishToolCalls}
}

func ends() llm.Response {
	return llm.Response{Message: llm.Message{Role: llm.RoleAssistant, Text: "done"}, FinishReason: llm.FinishStop}
}

func runBound(t *testing.T, s *server, b agents.Bounds, budget runtime.Budget) (runtime.Outcome, []runtime.Payload) {
	t.Helper()
	var events []runtime.Payload
	agent := newAgent(t, s, "task", note{}, func(p runtime.Payload) { events = append(events, p) })
	assert.NilError(t, agent.Bound(b))
	loop := runtime.Loop{Budget: budget}
	out, err := loop.Run(t.Context(), agent)
	assert.NilError(t, err)
	return out, events
}

var overflow = &llm.Error{Kind: llm.KindContextOverflow, Status: 400, Usage: llm.Usage{InputTokens: 5}}

// A server that finds every request too long gets two, and the run ends for that
// reason, which is no error.
func TestAServerThatNeverFindsItShortEnough(t *testing.T) {
	t.Parallel()
	s := &server{fn: func(n int, _ llm.Request) (llm.Response, error) {
		if n <= 5 {
			return notes(n, strings.Repeat("long ", 500)), nil
		}
		return llm.Response{}, overflow
	}}
	out, events := runBound(t, s, agents.Bounds{}, runtime.Budget{Steps: 20})
	assert.Equal(t, out.Reason, runtime.ReasonContext)
	assert.NilError(t, out.Err)
	assert.Equal(t, s.calls, 7)
	assert.Equal(t, out.Usage.InputTokens, 10)
	trim, ok := events[len(events)-2].(runtime.MemoryTrimmed)
	assert.Assert(t, ok && trim.Why == "refused" && trim.After < trim.Before*6/10, "%+v", trim)
	warning, ok := events[len(events)-1].(runtime.Warning)
	assert.Assert(t, ok && strings.Contains(warning.Text, "context window"))
}

// There is nothing to leave out of the first request.
func TestAFirstRequestThatIsTooLong(t *testing.T) {
	t.Parallel()
	s := &server{fn: func(int, llm.Request) (llm.Response, error) { return llm.Response{}, overflow }}
	out, _ := runBound(t, s, agents.Bounds{}, runtime.Budget{})
	assert.Equal(t, out.Reason, runtime.ReasonContext)
	assert.Equal(t, s.calls, 1)
}

// A server that once says how much is too much is not asked for as much again.
func TestARefusalTeachesTheWindow(t *testing.T) {
	t.Parallel()
	const most = 20_000 // bytes of text
	refused := 0
	s := &server{}
	s.fn = func(n int, req llm.Request) (llm.Response, error) {
		size := 0
		for _, m := range req.Messages {
			size += len(m.Text)
			for _, c := range m.ToolCalls {
				size += len(c.Arguments)
			}
		}
		if size > most {
			refused++
			return llm.Response{}, overflow
		}
		if n > 150 {
			return ends(), nil
		}
		return notes(n, fmt.Sprint(n, strings.Repeat(" word", 100))), nil
	}
	out, _ := runBound(t, s, agents.Bounds{}, runtime.Budget{})
	assert.Equal(t, out.Reason, runtime.ReasonDone)
	assert.Assert(t, refused >= 1 && refused <= 3, "%d refusals", refused)
}

func TestCostsAreCountedAlsoForWhatWasOfNoUse(t *testing.T) {
	t.Parallel()
	million := llm.Usage{InputTokens: 1_000_000}
	s := &server{fn: func(n int, _ llm.Request) (llm.Response, error) {
		if n == 2 {
			return llm.Response{}, &llm.Error{Kind: llm.KindContextOverflow, Usage: million}
		}
		resp := notes(n, fmt.Sprint(n, strings.Repeat(" long", 1000)), fmt.Sprint(n))
		resp.Usage, resp.Discarded = million, million
		return resp, nil
	}}
	prices := &llm.Prices{Input: 1}
	out, _ := runBound(t, s, agents.Bounds{Facts: llm.Facts{Prices: prices}}, runtime.Budget{Cost: 5})
	assert.Equal(t, out.Reason, runtime.ReasonCost)
	assert.Equal(t, out.Steps, 2) // 2 dollars, then 1 and 2
	assert.Assert(t, math.Abs(out.Cost-5) < 1e-9)
}

func TestASummaryIsBilled(t *testing.T) {
	t.Parallel()
	summary := &server{fn: func(int, llm.Request) (llm.Response, error) {
		resp := ends()
		resp.Usage = llm.Usage{InputTokens: 100, OutputTokens: 10}
		return resp, nil
	}}
	s := &server{fn: func(n int, _ llm.Request) (llm.Response, error) {
		if n > 40 {
			return ends(), nil
		}
		return notes(n, fmt.Sprint(n, strings.Repeat(" word", 200))), nil
	}}
	out, events := runBound(t, s, agents.Bounds{Facts: llm.Facts{Window: 8000}, Summary: summary, SummaryPrices: &llm.Prices{Output: 1e6}}, runtime.Budget{})
	assert.Equal(t, out.Reason, runtime.ReasonDone)
	assert.Assert(t, summary.calls > 0)
	assert.Equal(t, out.Usage, llm.Usage{InputTokens: 100 * summary.calls, OutputTokens: 10 * summary.calls})
	assert.Equal(t, out.Cost, float64(10*summary.calls))
	billed := llm.Usage{}
	for _, e := range events {
		if trim, ok := e.(runtime.MemoryTrimmed); ok {
			billed = billed.Add(trim.Usage)
		}
	}
	assert.Equal(t, billed, out.Usage)
}

// A server that counts nothing, or nonsense, neither lifts a limit nor breaks the
// run.
func TestServersThatMiscount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		usage  llm.Usage
		reason runtime.Reason
		steps  int // at most
	}{
		"none":     {llm.Usage{}, runtime.ReasonTokens, 40},
		"negative": {llm.Usage{InputTokens: -1_000_000, OutputTokens: -7}, runtime.ReasonTokens, 40},
		"huge":     {llm.Usage{InputTokens: math.MaxInt, OutputTokens: math.MaxInt}, runtime.ReasonTokens, 1},
		"tiny":     {llm.Usage{InputTokens: 1}, runtime.ReasonSteps, 60},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &server{fn: func(n int, _ llm.Request) (llm.Response, error) {
				resp := notes(n, fmt.Sprint(n, strings.Repeat(" word", 200)))
				resp.Usage = c.usage
				return resp, nil
			}}
			out, _ := runBound(t, s, agents.Bounds{Facts: llm.Facts{Window: 8000}}, runtime.Budget{Tokens: 100_000, Steps: 60})
			assert.Equal(t, out.Reason, c.reason)
			assert.Assert(t, out.Steps <= c.steps, "%d steps", out.Steps)
			assert.Assert(t, out.Usage.InputTokens >= 0 && out.Usage.OutputTokens >= 0)
		})
	}
}

func TestATaskThatIsTooLongIsNamed(t *testing.T) {
	t.Parallel()
	s := &server{}
	agent := newAgent(t, s, strings.Repeat("all of it ", 10_000), note{}, func(runtime.Payload) {})
	err := agent.Bound(agents.Bounds{Facts: llm.Facts{Window: 8000}})
	var size *memory.SizeError
	assert.Assert(t, errors.As(err, &size))
	assert.ErrorContains(t, err, "context window of 8000; shorten the task")
}
