package agents_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	stdruntime "runtime"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/agents"
	"drydock/internal/fakellm"
	"drydock/runtime"
	"drydock/runtime/llm"
	"drydock/runtime/llm/openai"
	"drydock/tools"
)

const (
	longSteps  = 300
	longWindow = 32_000
	longTask   = "find out why the nightly import loses rows, and mend it"
)

// longServer is a model's server with a window. Each request goes to a fake
// server of its own, which checks it, so that nothing of it is kept.
type longServer struct {
	t        *testing.T
	steps    int // answers that were not summaries
	summed   int
	tokens   int // of all requests
	reused   int // of these, what a cache of the beginning would have had
	previous string
}

// bytesPerToken differs from what is estimated, so that counts have to correct it.
const bytesPerToken = 3

func (s *longServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	turn := fakellm.Calls(call("terminate", `{"status":"success","answer":"mended"}`))
	handler := fakellm.NewHandler(turn)
	// The request is needed to choose the answer, and only a handler reads it.
	probe := httptest.NewRecorder()
	handler.ServeHTTP(probe, r)
	req := handler.Requests()[0]
	if !assert.Check(s.t, req.Problem == "", req.Problem) {
		return
	}
	assert.Check(s.t, strings.Contains(req.Chat.Messages[1].Text(), longTask))
	tokens := len(req.Body) / bytesPerToken
	assert.Check(s.t, tokens < longWindow, "%d tokens", tokens)
	r.Body = newBody(req.Body)
	fakellm.NewHandler(s.answer(req, turn).WithUsage(tokens, 50)).ServeHTTP(w, r)
}

func (s *longServer) answer(req fakellm.Request, last fakellm.Turn) fakellm.Turn {
	if len(req.Chat.Tools) == 0 {
		s.summed++
		return fakellm.Text("The import drops rows with a quote in them; reader.py was changed.")
	}
	s.count(string(req.Body))
	if s.steps++; s.steps == longSteps {
		return last
	}
	say := fmt.Sprintf("Step %d: I look at the next part.", s.steps)
	return fakellm.TextCalls(say, call("note", fmt.Sprintf(`{"text":"part %d"}`, s.steps)))
}

// count compares a request with the one before it: a cache has what they have in
// common at their beginning.
func (s *longServer) count(body string) {
	common := 0
	for common < min(len(body), len(s.previous)) && body[common] == s.previous[common] {
		common++
	}
	s.tokens += len(body) / bytesPerToken
	s.reused += common / bytesPerToken
	s.previous = body
}

// A long run in a small window ends well, the task is in every request, none is
// invalid or too long, and the process does not grow. Not parallel: it looks at
// the memory of the process.
func TestThreeHundredStepsInASmallWindow(t *testing.T) {
	server := &longServer{t: t}
	listener := httptest.NewServer(server)
	t.Cleanup(listener.Close)
	model, err := openai.New(openai.Config{APIKey: "key", BaseURL: listener.URL + "/v1", Model: fakellm.ModelName, MaxAttempts: 1})
	assert.NilError(t, err)
	var trims []runtime.MemoryTrimmed
	agent := newAgent(t, model, longTask, notebook{}, func(p runtime.Payload) {
		if trim, ok := p.(runtime.MemoryTrimmed); ok {
			trims = append(trims, trim)
		}
	})
	assert.NilError(t, agent.Bound(agents.Bounds{Facts: llm.Facts{Window: longWindow, MaxOutput: 4000}, Summary: model}))
	heap := &heapWatch{Agent: agent}
	loop := runtime.Loop{}
	out, err := loop.Run(t.Context(), heap)
	assert.NilError(t, err)
	assert.NilError(t, out.Err)
	assert.Equal(t, out.Reason, runtime.ReasonDone)
	assert.Equal(t, out.Answer, "mended")
	assert.Equal(t, out.Steps, longSteps)
	assert.Assert(t, server.summed > 0 && len(trims) >= server.summed)
	for _, trim := range trims {
		assert.Assert(t, trim.After < trim.Before && trim.Why == "window", "%+v", trim)
	}
	share := float64(server.reused) / float64(server.tokens)
	t.Logf("%d trims, %d summaries; a cache would reuse %.1f%% of %d tokens; heap %d KiB after 100 steps, %d KiB at the end",
		len(trims), server.summed, 100*share, server.tokens, heap.early>>10, heap.late>>10)
	assert.Assert(t, share > 0.85)
	const slack = 16 << 20
	assert.Assert(t, heap.late < heap.early+slack, "%d bytes became %d", heap.early, heap.late)
}

// heapWatch measures what the process holds on the way.
type heapWatch struct {
	*agents.Agent
	early, late uint64
}

func (h *heapWatch) Step(ctx context.Context, n int) (runtime.Step, error) {
	step, err := h.Agent.Step(ctx, n)
	switch n {
	case longSteps / 3:
		h.early = heapInUse()
	case longSteps:
		h.late = heapInUse()
	}
	return step, err
}

func heapInUse() uint64 {
	stdruntime.GC()
	var stats stdruntime.MemStats
	stdruntime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// notebook answers with a page, now and then with a very long one.
type notebook struct{ note }

func (notebook) Run(_ context.Context, raw json.RawMessage) (tools.Result, error) {
	page := strings.Repeat(string(raw)+" is as follows.\n", 40)
	if strings.Contains(string(raw), "7") {
		page = strings.Repeat(page, 4)
	}
	return tools.Result{Status: tools.StatusOK, Text: page}, nil
}
