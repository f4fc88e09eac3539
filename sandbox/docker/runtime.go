package docker

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/system"

	"drydock/sandbox"
)

// CheckRuntime refuses a policy whose runtime the engine does not have, or has
// set up in a way that the policy's network cannot work. The error is a
// *sandbox.EngineError. A policy without a runtime is not looked at.
func (e *Engine) CheckRuntime(ctx context.Context, policy sandbox.Policy) error {
	name := policy.Runtime
	if name == "" {
		return nil
	}
	info, err := e.cli.Info(ctx)
	if err != nil {
		return engineErr("ask the engine for its runtimes", err)
	}
	return engineErr("use the runtime "+name, runtimeFault(info.Runtimes, policy))
}

func runtimeFault(have map[string]system.RuntimeWithStatus, policy sandbox.Policy) error {
	runtime, ok := have[policy.Runtime]
	switch {
	case strings.HasPrefix(policy.Runtime, "io.containerd."):
		return nil // the engine finds it by its name, listed or not
	case !ok:
		return fmt.Errorf("the engine has no runtime %s; it has: %s. Install it, see docs/engines.md, or leave out --runtime",
			policy.Runtime, strings.Join(slices.Sorted(maps.Keys(have)), ", "))
	case policy.Network == sandbox.NetworkFull && slices.Contains(runtime.Args, "--network=none"):
		return fmt.Errorf("the engine has it set up with --network=none; leave out --network, or see docs/engines.md")
	}
	return nil
}

// Room that gVisor's own processes take within the container's limits: its
// kernel and the keeper of its files, some host processes or threads for every
// one inside, and what those cost the kernel in memory. The guest's watch needs
// the rest: a fork bomb is some hundred processes ahead of it on a busy machine.
const (
	sentryMemory     = 512 << 20
	sentryMemoryEach = 1 << 20 // for a process that the policy allows
	sentryPids       = 2048
	sentryPidsEach   = 8
)

// leaveRoom raises the engine's limits for a container under gVisor, where they
// hold for more than what runs inside; the guest keeps that to the policy's. It
// also bounds /tmp: gVisor puts an unbounded memory file system over an empty one.
func leaveRoom(host *container.HostConfig, p sandbox.Profile) {
	memory := sentryMemory + p.Pids*sentryMemoryEach
	host.Memory += memory
	host.MemorySwap += memory
	pids := p.Pids*sentryPidsEach + sentryPids
	host.PidsLimit = &pids
	if _, ok := host.Tmpfs["/tmp"]; !ok {
		host.Tmpfs["/tmp"] = sandbox.Tmpfs{Path: "/tmp", Size: p.Memory / 4, Mode: 0o1777, Exec: true}.String()
	}
}
