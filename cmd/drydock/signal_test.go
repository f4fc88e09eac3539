package main

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"gotest.tools/v3/assert"
	"gotest.tools/v3/poll"

	"drydock/internal/fakellm"
)

// interrupted starts a run that has changed a file and now hangs in a call.
func interrupted(t *testing.T) *process {
	t.Helper()
	server := fakellm.New(t,
		call("bash", `{"command": "echo kept > file"}`),
		call("bash", `{"command": "sleep 300 # hangs"}`),
	)
	p := start(t, t.TempDir(), toward(server), "run", "--run-dir", "run", "x")
	p.await("sleep 300 # hangs")
	return p
}

func TestSignalKeepsThePatchAndLeavesNoContainer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		signal syscall.Signal
		code   int
	}{
		"SIGINT":  {syscall.SIGINT, 130},
		"SIGTERM": {syscall.SIGTERM, 143},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := interrupted(t)
			p.signal(tt.signal)
			assert.Equal(t, p.exit(), tt.code)
			assert.Equal(t, p.stdout.String(), "")
			assert.Assert(t, strings.Contains(p.file("patch.diff"), "\n+kept\n"))
			end := p.end()
			assert.Equal(t, end.Type, "run.failed")
			assert.Equal(t, end.Reason, "interrupted")
			assert.Equal(t, end.ExitCode, tt.code)
			assert.Equal(t, containersOf(t, end.RunID), 0)
		})
	}
}

// While the model thinks, a signal counts as much.
func TestSignalDuringAModelCall(t *testing.T) {
	t.Parallel()
	server := fakellm.New(t, fakellm.Hang("never"))
	p := start(t, t.TempDir(), toward(server), "run", "--run-dir", "run", "x")
	p.await("sandbox ready")
	assert.NilError(t, server.Await(t.Context(), 1))
	p.signal(syscall.SIGINT)
	assert.Equal(t, p.exit(), 130)
	end := p.end()
	assert.Equal(t, end.Reason, "interrupted")
	assert.Equal(t, containersOf(t, end.RunID), 0)
}

// The second signal waits for nothing; the sandbox then goes by itself.
func TestSecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	p := interrupted(t)
	id := p.events()[0].RunID
	p.signal(syscall.SIGINT)
	p.await("again to stop at once")
	began := time.Now()
	p.signal(syscall.SIGINT)
	assert.Equal(t, p.exit(), 130)
	assert.Assert(t, time.Since(began) < 10*time.Second)
	assertContainersGo(t, id)
}

// A killed program cannot clean up, so the sandbox does it.
func TestKillLeavesNoContainer(t *testing.T) {
	t.Parallel()
	p := interrupted(t)
	id := p.events()[0].RunID
	assert.Equal(t, containersOf(t, id), 1)
	p.signal(syscall.SIGKILL)
	assert.Equal(t, p.exit(), -1)
	assertContainersGo(t, id)
}

func assertContainersGo(t *testing.T, runID string) {
	t.Helper()
	poll.WaitOn(t, func(poll.LogT) poll.Result {
		if n := containersOf(t, runID); n > 0 {
			return poll.Continue("%d container(s) left", n)
		}
		return poll.Success()
	}, poll.WithTimeout(30*time.Second), poll.WithDelay(50*time.Millisecond))
}

// containersOf counts the containers of a run, in whatever state.
func containersOf(t *testing.T, runID string) int {
	t.Helper()
	found, err := engineClient(t).ContainerList(t.Context(), container.ListOptions{
		All: true, Filters: filters.NewArgs(filters.Arg("label", "drydock.run="+runID)),
	})
	assert.NilError(t, err)
	return len(found)
}
