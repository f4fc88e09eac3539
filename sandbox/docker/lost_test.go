package docker_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"
	"gotest.tools/v3/assert"

	"drydock/sandbox"
)

// A sandbox that is taken away during a call is reported at once, with what the
// engine knows of it, and is no timeout and no observation.
func TestLostSandbox(t *testing.T) {
	t.Parallel()
	second := 1
	for name, row := range map[string]struct {
		happen func(context.Context, *client.Client, string) error
		want   string        // in the container's state
		limit  time.Duration // of the call
	}{
		"kill": {
			happen: func(ctx context.Context, c *client.Client, id string) error { return c.ContainerKill(ctx, id, "KILL") },
			want:   "exited (137)",
		},
		"remove": {
			happen: func(ctx context.Context, c *client.Client, id string) error {
				return c.ContainerRemove(ctx, id, container.RemoveOptions{Force: true})
			},
			want: "exited (137)",
		},
		"stop": {
			happen: func(ctx context.Context, c *client.Client, id string) error {
				return c.ContainerStop(ctx, id, container.StopOptions{Timeout: &second})
			},
			want: "exited (137)",
		},
		"pause": {happen: func(ctx context.Context, c *client.Client, id string) error { return c.ContainerPause(ctx, id) }, want: "paused"},
		"first process killed": {
			happen: func(ctx context.Context, c *client.Client, id string) error {
				return signalFirst(ctx, c, id, syscall.SIGKILL)
			},
			want: "exited (137)",
		},
		"first process stopped": {
			happen: func(ctx context.Context, c *client.Client, id string) error {
				return signalFirst(ctx, c, id, syscall.SIGSTOP)
			},
			want: "running", limit: 3 * time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id := "test-lost-" + strings.ReplaceAll(name, " ", "-")
			box := newBox(t, id, nil)
			ended := make(chan error, 1)
			began := time.Now()
			go func() {
				res, err := box.Shell(context.Background(), "sleep 1000", row.limit, false)
				if err == nil {
					err = errors.New("an observation: " + string(res.Status))
				}
				ended <- err
			}()
			for st, err := box.Stats(t.Context()); st.Pids < 3; st, err = box.Stats(t.Context()) {
				assert.NilError(t, err)
			}
			assert.NilError(t, row.happen(t.Context(), api(t), "drydock-"+id))
			fact := time.Now()
			if due := began.Add(row.limit); due.After(fact) {
				fact = due
			}
			err := <-ended
			t.Logf("%.1f s: %v", time.Since(fact).Seconds(), err)
			assert.Assert(t, time.Since(fact) < 20*time.Second)
			var lost *sandbox.LostError
			assert.Assert(t, errors.As(err, &lost), "%v", err)
			assert.Assert(t, strings.Contains(lost.State, row.want), "%q", lost.State)
			_, err = box.Stats(t.Context())
			assert.Assert(t, errors.As(err, &lost), "%v", err)
			assert.NilError(t, box.Close(t.Context()))
			assert.Assert(t, !containerExists(t, "drydock-"+id))
		})
	}
}

// signalFirst reaches the first process from the host. Where the engine is not
// this host's, or this is not root, the engine sends the signal.
func signalFirst(ctx context.Context, c *client.Client, id string, sig syscall.Signal) error {
	info, err := c.ContainerInspect(ctx, id)
	if err != nil {
		return err
	}
	command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", info.State.Pid))
	if strings.HasPrefix(string(command), "/.drydock/guest\x00init\x00") && syscall.Kill(info.State.Pid, sig) == nil {
		return nil
	}
	return c.ContainerKill(ctx, id, strconv.Itoa(int(sig)))
}

// Memory files that may grow beyond the limit leave the first process without
// memory. It is killed, or it gets stuck while its container runs on; no call
// waits for that.
func TestSandboxLostForMemory(t *testing.T) {
	t.Parallel()
	const id = "test-lost-memory"
	box := newBox(t, id, func(p *sandbox.Policy) { p.MemoryBytes, p.ShmBytes = 64<<20, 1<<30 })
	var err error
	var began time.Time
	for i := 0; err == nil && i < 100; i++ {
		began = time.Now()
		_, err = box.Shell(t.Context(), "head -c 10M /dev/zero >/dev/shm/$RANDOM$RANDOM", time.Second, false)
	}
	t.Logf("%.1f s: %v", time.Since(began).Seconds(), err)
	assert.Assert(t, time.Since(began) < 40*time.Second)
	var lost *sandbox.LostError
	assert.Assert(t, errors.As(err, &lost), "%v", err)
	assert.NilError(t, box.Close(t.Context()))
	assert.Assert(t, !containerExists(t, "drydock-"+id))
}
