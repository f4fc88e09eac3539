package images

import (
	"testing"

	"gotest.tools/v3/assert"
)

func TestInstallLogTurnsOutputIntoProgress(t *testing.T) {
	var log installLog
	var steps []Step
	for _, line := range []string{
		"Step 4/8 : RUN apt-get update",
		"Get:1 http://deb.debian.org/debian bookworm InRelease [151 kB]",
		"0 upgraded, 2 newly installed, 0 to remove and 0 not upgraded.",
		"Get:1 http://deb.debian.org/debian bookworm/main amd64 git amd64 1:2.39.5-0 [7256 kB]",
		"Unpacking git (1:2.39.5-0) ...",
		"Setting up libc6:amd64 (2.36-9) ...",
		"Setting up git (1:2.39.5-0) ...",
		"Setting up extra (1) ...",
		"", "Step", "Step x/y : RUN z", "Unpacking", "Setting up", "Get:", "\x1b[0m",
	} {
		if s, ok := log.step(line); ok {
			steps = append(steps, s)
		}
	}
	assert.DeepEqual(t, steps, []Step{
		{StageBuild, "RUN", 4, 8},
		{StageRetrieve, "git", 1, 2},
		{StageUnpack, "git", 1, 2},
		{StageConfigure, "libc6", 1, 2},
		{StageConfigure, "git", 2, 2},
		{StageConfigure, "extra", 2, 2},
	})
	assert.Equal(t, log.failure, "")
}
