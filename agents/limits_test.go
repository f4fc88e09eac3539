package agents_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/agents"
	"drydock/runtime"
	"drydock/runtime/llm"
)

// A cost that cannot be known ends a run before it has a sandbox: there is no
// engine here.
func TestACostLimitWithoutPricesEndsTheRunBeforeItStarts(t *testing.T) {
	t.Parallel()
	priced := llm.Facts{Prices: &llm.Prices{Input: 1}}
	other := &server{}
	for name, s := range map[string]agents.Session{
		"model":   {},
		"summary": {Facts: priced, Summary: other},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, err := runtime.CreateRunDir(t.TempDir(), "", runtime.NewRunID(time.Now()))
			assert.NilError(t, err)
			var events bytes.Buffer
			s.Budget, s.Dir, s.Recorder = runtime.Budget{Cost: 1}, dir, runtime.NewRecorder(dir.ID, &events)
			s.ExitCode = func(context.Context, runtime.Outcome) int { return 2 }
			out := s.Run(t.Context())
			assert.Equal(t, out.Reason, runtime.ReasonError)
			assert.ErrorIs(t, out.Err, runtime.ErrNoPrices)
			assert.Assert(t, strings.Contains(events.String(), `"type":"run.failed"`))
			assert.Assert(t, !strings.Contains(events.String(), "cost_usd"))
		})
	}
}
