package docker

import (
	"testing"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/system"
	"gotest.tools/v3/assert"

	"drydock/sandbox"
)

func TestRuntimesThatAreRefused(t *testing.T) {
	have := map[string]system.RuntimeWithStatus{
		"runc":  {Runtime: system.Runtime{Path: "runc"}},
		"runsc": {Runtime: system.Runtime{Path: "/usr/bin/runsc", Args: []string{"--platform=ptrace", "--network=none"}}},
	}
	for _, row := range []struct {
		runtime string
		network sandbox.Network
		want    string
	}{
		{runtime: "runc", network: sandbox.NetworkFull},
		{runtime: "runsc", network: sandbox.NetworkNone},
		{runtime: "io.containerd.kata.v2"}, // found by its name, not listed
		{runtime: "runsc", network: sandbox.NetworkFull, want: "set up with --network=none"},
		{runtime: "crun", want: "the engine has no runtime crun; it has: runc, runsc. Install it"},
		{runtime: "runs", want: "the engine has no runtime runs"},
	} {
		err := runtimeFault(have, sandbox.Policy{Runtime: row.runtime, Network: row.network})
		if row.want == "" {
			assert.NilError(t, err, row.runtime)
			continue
		}
		assert.ErrorContains(t, err, row.want)
	}
}

// gVisor's own processes get room within the engine's limits, and nothing that
// is in memory is without a bound.
func TestRoomForGVisor(t *testing.T) {
	policy := sandbox.DefaultPolicy()
	plain := hostConfig(policy.Profile())
	policy.Runtime = "runsc"
	roomy := hostConfig(policy.Profile())
	assert.Equal(t, plain.Memory, policy.MemoryBytes)
	assert.Equal(t, roomy.Memory, policy.MemoryBytes+1<<30)
	assert.Equal(t, roomy.MemorySwap, roomy.Memory)
	assert.Assert(t, *roomy.PidsLimit > 4*policy.Pids)
	assert.Equal(t, *plain.PidsLimit, policy.Pids)
	_, has := plain.Tmpfs["/tmp"]
	assert.Assert(t, !has)
	assert.Equal(t, roomy.Tmpfs["/tmp"], "rw,exec,nosuid,nodev,mode=1777,size=536870912")
	assert.DeepEqual(t, rest(roomy), rest(plain))

	policy.Level = sandbox.LevelStrict // has its own /tmp
	strict := hostConfig(policy.Profile())
	assert.Equal(t, strict.Tmpfs["/tmp"], "rw,exec,nosuid,nodev,mode=1777,size=134217728")
}

// rest is a configuration without what gVisor changes.
func rest(h *container.HostConfig) container.HostConfig {
	c := *h
	c.Memory, c.MemorySwap, c.PidsLimit, c.Tmpfs, c.Runtime = 0, 0, nil, nil, ""
	return c
}
