package llm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime/llm"
)

func TestOnlyPassingFailuresAreRetryable(t *testing.T) {
	t.Parallel()
	want := map[llm.Kind]bool{
		llm.KindAuth:            false,
		llm.KindNotFound:        false,
		llm.KindBadRequest:      false,
		llm.KindContextOverflow: false,
		llm.KindRateLimit:       true,
		llm.KindQuota:           false,
		llm.KindOverloaded:      true,
		llm.KindNetwork:         true,
		llm.KindBadResponse:     true,
		llm.KindRefused:         false,
		llm.KindCanceled:        false,
		llm.Kind("unknown"):     false,
	}
	texts := map[string]llm.Kind{}
	for kind, retryable := range want {
		err := &llm.Error{Kind: kind}
		assert.Equal(t, err.Retryable(), retryable, "%s", kind)
		assert.Assert(t, !(&llm.Error{Kind: kind, Permanent: true}).Retryable(), "%s", kind)
		other, seen := texts[err.Error()]
		assert.Assert(t, !seen, "%s and %s read the same: %s", kind, other, err)
		texts[err.Error()] = kind
	}
}

func TestErrorIsOneLineAndKeepsItsCause(t *testing.T) {
	t.Parallel()
	err := error(&llm.Error{Kind: llm.KindAuth, Status: 401, Message: "wrong key"})
	assert.Equal(t, err.Error(), "model key missing or refused (401): wrong key")

	stopped := fmt.Errorf("step 3: %w", &llm.Error{Kind: llm.KindCanceled, Err: context.Canceled})
	assert.Assert(t, errors.Is(stopped, context.Canceled))
	var typed *llm.Error
	assert.Assert(t, errors.As(stopped, &typed))
	assert.Assert(t, !strings.Contains(stopped.Error(), "\n"))
}

func TestBilledCountsDiscardedAnswers(t *testing.T) {
	t.Parallel()
	r := llm.Response{
		Usage:     llm.Usage{InputTokens: 100, OutputTokens: 10, CachedTokens: 50},
		Discarded: llm.Usage{InputTokens: 90, OutputTokens: 5, CachedTokens: 1},
	}
	assert.Equal(t, r.Billed(), llm.Usage{InputTokens: 190, OutputTokens: 15, CachedTokens: 51})
}
