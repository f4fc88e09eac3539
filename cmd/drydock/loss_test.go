package main

import (
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"
	"gotest.tools/v3/assert"

	"drydock/internal/fakellm"
)

// losses are what can take a container away from a run.
var losses = map[string]func(*testing.T, *client.Client, string) error{
	"kill": func(t *testing.T, c *client.Client, id string) error { return c.ContainerKill(t.Context(), id, "KILL") },
	"remove": func(t *testing.T, c *client.Client, id string) error {
		return c.ContainerRemove(t.Context(), id, container.RemoveOptions{Force: true})
	},
	"pause": func(t *testing.T, c *client.Client, id string) error { return c.ContainerPause(t.Context(), id) },
}

// A run whose container is taken away ends at once, says so in one line, and is
// recorded to its end.
func TestLostContainerEndsTheRun(t *testing.T) {
	t.Parallel()
	for name, lose := range losses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := interrupted(t)
			id := p.events()[0].RunID
			assert.NilError(t, lose(t, engineClient(t), "drydock-"+id))
			began := time.Now()
			assert.Equal(t, p.exit(), 6)
			t.Logf("ended after %s", time.Since(began).Round(time.Millisecond))
			assert.Assert(t, time.Since(began) < 30*time.Second)
			assert.Equal(t, p.stdout.String(), "")
			said := linesWith(p.stderr.String(), "drydock: ")
			assert.Equal(t, len(said), 1, "%q", said)
			assert.Assert(t, strings.Contains(said[0], "sandbox lost: run a shell command") && strings.Contains(said[0], "--on-loss replace"), said[0])

			all := p.events()
			lost := all[len(all)-2]
			assert.Equal(t, lost.Type+" "+lost.Status, "tool.completed sandbox_lost")
			end := p.end()
			assert.Equal(t, end.Type+" "+end.Reason, "run.failed error")
			assert.Equal(t, end.ExitCode, 6)
			assert.Assert(t, strings.Contains(end.Error, "sandbox lost"), end.Error)
			assert.Assert(t, strings.Contains(p.file("run.json"), `"exit_code": 6`), p.file("run.json"))
			assert.Equal(t, containersOf(t, id), 0)
		})
	}
}

// A run that may replace its sandbox goes on from the start's files.
func TestLostContainerIsReplaced(t *testing.T) {
	t.Parallel()
	server := fakellm.New(t,
		call("bash", `{"command": "echo lost > first; sleep 300 # hangs"}`),
		call("bash", `{"command": "ls; echo kept > second"}`),
		call("terminate", `{"status": "success", "answer": "Done."}`),
	)
	p := start(t, t.TempDir(), toward(server), "run", "--on-loss", "replace", "--run-dir", "run", "x")
	p.await("sleep 300 # hangs")
	id := p.events()[0].RunID
	assert.NilError(t, losses["kill"](t, engineClient(t), "drydock-"+id))
	assert.Equal(t, p.exit(), 0)
	assert.Equal(t, p.stdout.String(), "Done.\n")
	assert.Assert(t, strings.Contains(p.stderr.String(), "sandbox lost and replaced"), p.stderr.String())
	observed := observation(t, server.Requests()[1].Chat)
	assert.Assert(t, strings.Contains(observed, "as at the start of the task"), observed)
	patch := p.file("patch.diff")
	assert.Assert(t, strings.Contains(patch, "+kept") && !strings.Contains(patch, "+lost"), patch)
	assert.Equal(t, containersOf(t, id), 0)
}

// The second loss ends a run.
func TestSecondLossEndsTheRun(t *testing.T) {
	t.Parallel()
	server := fakellm.New(t,
		call("bash", `{"command": "sleep 300 # hangs once"}`),
		call("bash", `{"command": "sleep 300 # hangs twice"}`),
	)
	p := start(t, t.TempDir(), toward(server), "run", "--on-loss", "replace", "--run-dir", "run", "x")
	for _, hangs := range []string{"hangs once", "hangs twice"} {
		p.await(hangs)
		assert.NilError(t, losses["kill"](t, engineClient(t), "drydock-"+p.events()[0].RunID))
	}
	assert.Equal(t, p.exit(), 6)
	assert.Equal(t, p.end().Reason, "error")
	assert.Equal(t, containersOf(t, p.end().RunID), 0)
}

func linesWith(text, prefix string) []string {
	var found []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, prefix) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

func engineClient(t *testing.T) *client.Client {
	t.Helper()
	cli, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	assert.NilError(t, err)
	t.Cleanup(func() { _ = cli.Close() })
	return cli
}
