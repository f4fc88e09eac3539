package openai_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/internal/fakellm"
	"drydock/runtime/llm"
	"drydock/runtime/llm/openai"
)

// fault is a row of the tables of faults: what a server does, how often it is
// asked, and what comes of it. Each request but the first has a wait before it.
type fault struct {
	name     string
	turns    []fakellm.Turn
	requests int
	kind     llm.Kind // empty: the answer "fine" comes in the end
	status   int
	message  string // in the error
}

// then is faults that pass, and always one that stays.
func then(faults ...fakellm.Turn) []fakellm.Turn {
	return append(slices.Clone(faults), fakellm.Text("fine"))
}

func always(turn fakellm.Turn) []fakellm.Turn { return times(20, turn) }

func (f fault) check(t *testing.T, edit ...func(*openai.Config)) {
	t.Helper()
	srv := fakellm.New(t, f.turns...)
	model, j := connect(t, srv, edit...)
	resp, err := model.Complete(t.Context(), ask("hi"))

	assert.Equal(t, len(srv.Requests()), f.requests, "%v", err)
	assert.Equal(t, len(j.waits), f.requests-1)
	assert.Equal(t, len(j.retries), f.requests-1, "each wait is reported")
	assertGrowing(t, j.waits)
	srv.AssertKey(t, testKey)
	if f.kind == "" {
		assert.NilError(t, err)
		assert.Equal(t, resp.Message.Text, "fine")
		assert.Equal(t, len(resp.Message.ToolCalls), 0)
		return
	}
	e := typed(t, err)
	assert.Equal(t, e.Kind, f.kind, "%v", err)
	assert.Equal(t, e.Status, f.status)
	assert.Assert(t, strings.Contains(err.Error(), f.message), "%v", err)
	assert.Assert(t, !strings.ContainsAny(err.Error(), "\n\r\t<"), "%q", err)
	assert.Assert(t, !strings.Contains(err.Error(), testKey))
}

// assertGrowing allows each pause the jitter of half its doubling base.
func assertGrowing(t *testing.T, waits []time.Duration) {
	t.Helper()
	base := time.Second
	for i, wait := range waits {
		assert.Assert(t, wait >= base/2 && wait <= min(base*3/2+1, time.Minute), "pause %d is %s", i+1, wait)
		base = min(2*base, time.Minute)
	}
}
