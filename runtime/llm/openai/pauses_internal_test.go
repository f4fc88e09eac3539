package openai

import (
	"testing"
	"time"

	"gotest.tools/v3/assert"
)

// A server that fails slowly is not waited for longer than one that fails fast.
func TestTheTimeOfAttemptsCounts(t *testing.T) {
	t.Parallel()
	p := newPauses(time.Hour)
	_, ok := p.next(0)
	assert.Assert(t, ok)
	p.began = time.Now().Add(-2 * time.Hour)
	_, ok = p.next(0)
	assert.Assert(t, !ok)
}
