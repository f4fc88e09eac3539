package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"gotest.tools/v3/assert"
)

// A few runs, killed at any moment, leave nothing.
func TestKilledRunsLeaveNothing(t *testing.T) {
	drydock := filepath.Join(t.TempDir(), "drydock")
	build, err := exec.CommandContext(t.Context(), "go", "build", "-o", drydock, "drydock/cmd/drydock").CombinedOutput()
	assert.NilError(t, err, string(build))
	var out bytes.Buffer
	err = chaos(t.Context(), &out, options{
		drydock: drydock, runs: 12, workers: 3, within: 2 * time.Second, settle: time.Second,
		seed: uint64(time.Now().UnixNano()),
	})
	t.Log(out.String())
	assert.NilError(t, err)
}
