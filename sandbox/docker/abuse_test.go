package docker_test

import (
	"crypto/rand"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/sandboxtest/abuse"
)

// The quick part of the hostile programs. What the process uses is counted, so
// no other test runs beside it.
func TestAbuse(t *testing.T) {
	engine := connect(t)
	outside, err := abuse.DialOutside(engine.Info().Host)
	assert.NilError(t, err)
	runner := &abuse.Runner{Engine: engine, Outside: outside, Policy: sandbox.DefaultPolicy(), Run: "test-abuse-" + rand.Text(), Lanes: 3}
	tried := 0
	err = runner.Play(t.Context(), abuse.Quick(), func(v abuse.Verdict) {
		if v.Skipped == "" {
			tried++
		}
		if !v.Held() {
			t.Errorf("%s (%s): %q", v.Case.ID, v.Case.Tries, v.Broken)
		}
	})
	assert.NilError(t, err)
	t.Logf("%d hostile programs", tried)
}
