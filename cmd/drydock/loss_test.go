package main

import (
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"
	"gotest.tools/v3/assert"
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
