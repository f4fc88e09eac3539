package llm_test

import (
	"math"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime/llm"
)

func TestCostCountsCachedTokensOnce(t *testing.T) {
	t.Parallel()
	p := llm.Prices{Input: 2, Cached: 0.5, Output: 8}
	for _, row := range []struct {
		usage llm.Usage
		want  float64
	}{
		{llm.Usage{}, 0},
		{llm.Usage{InputTokens: 1_000_000}, 2},
		{llm.Usage{InputTokens: 1_000_000, CachedTokens: 1_000_000}, 0.5},
		{llm.Usage{InputTokens: 500_000, CachedTokens: 100_000, OutputTokens: 250_000}, 0.8 + 0.05 + 2},
		{llm.Usage{InputTokens: 10, CachedTokens: 20}, 0.00001}, // a server that miscounts makes nothing cheaper than free
	} {
		assert.Assert(t, math.Abs(p.Cost(row.usage)-row.want) < 1e-9, "%+v: %g", row.usage, p.Cost(row.usage))
	}
}
