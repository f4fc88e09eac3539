package docker_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"
	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

func api(t *testing.T) *client.Client {
	t.Helper()
	cli, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	assert.NilError(t, err)
	t.Cleanup(func() { _ = cli.Close() })
	return cli
}

func containerExists(t *testing.T, name string) bool {
	t.Helper()
	_, err := api(t).ContainerInspect(context.WithoutCancel(t.Context()), name)
	assert.Assert(t, err == nil || errdefs.IsNotFound(err), "%v", err)
	return err == nil
}

func newBox(t *testing.T, id string, change func(*sandbox.Policy)) *sandbox.Sandbox {
	t.Helper()
	policy := sandbox.DefaultPolicy()
	policy.MemoryBytes, policy.Timeout = 256<<20, 30*time.Second
	if change != nil {
		change(&policy)
	}
	box, err := new(sandbox.Client).Create(t.Context(), connect(t), id, policy)
	assert.NilError(t, err)
	t.Cleanup(func() { _ = box.Close(context.Background()) })
	return box
}

// The posture of a container, as the engine has it. Whoever changes a line here
// changes what the isolation is worth.
func TestProfile(t *testing.T) {
	t.Parallel()
	const id = "test-profile"
	newBox(t, id, func(p *sandbox.Policy) { p.CPUs, p.Pids = 1.5, 99 })
	info, err := api(t).ContainerInspect(t.Context(), "drydock-"+id)
	assert.NilError(t, err)

	host, config := info.HostConfig, info.Config
	assert.DeepEqual(t, []string(host.CapDrop), []string{"ALL"})
	assert.DeepEqual(t, trimCaps(host.CapAdd), []string{"KILL", "SETGID", "SETPCAP", "SETUID"})
	assert.DeepEqual(t, host.SecurityOpt, []string{"no-new-privileges"})
	assert.Equal(t, host.NetworkMode, container.NetworkMode("none"))
	assert.Equal(t, host.IpcMode, container.IpcMode("private"))
	assert.Equal(t, host.CgroupnsMode, container.CgroupnsMode("private"))
	assert.Equal(t, host.LogConfig.Type, "none")
	assert.Assert(t, host.AutoRemove)
	assert.Assert(t, !host.Privileged && !host.PublishAllPorts)
	assert.Equal(t, string(host.PidMode)+string(host.UTSMode)+string(host.UsernsMode), "")
	assert.Equal(t, len(host.Binds)+len(host.Mounts)+len(host.VolumesFrom)+len(host.Devices)+len(host.PortBindings)+len(info.Mounts), 0)
	assert.Assert(t, host.OomKillDisable == nil || !*host.OomKillDisable)

	assert.Equal(t, host.Memory, int64(256<<20))
	assert.Equal(t, host.MemorySwap, host.Memory)
	assert.Equal(t, host.NanoCPUs, int64(1.5e9))
	assert.Equal(t, *host.PidsLimit, int64(99))
	for target, options := range host.Tmpfs {
		assert.Assert(t, strings.Contains(options, "size="), "%s has no size", target)
		assert.Assert(t, strings.Contains(options, "nosuid") && strings.Contains(options, "nodev"), "%s: %s", target, options)
	}

	assert.Assert(t, config.OpenStdin && config.StdinOnce && !config.Tty)
	assert.Equal(t, config.User, "0:0")
	assert.DeepEqual(t, []string(config.Entrypoint), []string{wire.GuestPath})
	assert.Equal(t, config.Labels["drydock"], "sandbox")
	assert.Equal(t, config.Labels["drydock.run"], id)
}

func trimCaps(caps []string) []string {
	var out []string
	for _, c := range caps {
		out = append(out, strings.TrimPrefix(c, "CAP_"))
	}
	slices.Sort(out)
	return out
}

func TestCreateWithoutItsImage(t *testing.T) {
	t.Parallel()
	policy := sandbox.DefaultPolicy()
	policy.Image = "drydock-test/absent:none"
	_, err := new(sandbox.Client).Create(t.Context(), connect(t), "test-absent", policy)
	var missing *sandbox.ImageError
	assert.Assert(t, errors.As(err, &missing), "%v", err)
	assert.Assert(t, !containerExists(t, "drydock-test-absent"))
}

func TestCreateThatTheEngineRefuses(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*sandbox.Policy){
		"runtime": func(p *sandbox.Policy) { p.Runtime = "no-such-runtime" },
		"mount":   func(p *sandbox.Policy) { p.Mounts = []sandbox.Mount{{Source: "/nonexistent/drydock", Target: "/m"}} },
	} {
		policy := sandbox.DefaultPolicy()
		change(&policy)
		_, err := new(sandbox.Client).Create(t.Context(), connect(t), "test-refused-"+name, policy)
		var refused *sandbox.EngineError
		assert.Assert(t, errors.As(err, &refused), "%s: %v", name, err)
		assert.Assert(t, !strings.Contains(err.Error(), "\n"), "%q", err.Error())
		assert.Assert(t, !containerExists(t, "drydock-test-refused-"+name))
	}
}

// A create that is cancelled half-way leaves nothing.
func TestCancelledCreateLeavesNothing(t *testing.T) {
	t.Parallel()
	engine := connect(t)
	for _, after := range []time.Duration{time.Millisecond, 30 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		id := "test-cancel-" + after.String()
		box, err := new(sandbox.Client).Create(ctx, engine, id, sandbox.DefaultPolicy())
		cancel()
		if err == nil {
			assert.NilError(t, box.Close(t.Context()))
		}
		assert.Assert(t, !containerExists(t, "drydock-"+id), "after %s a container is left", after)
	}
}
