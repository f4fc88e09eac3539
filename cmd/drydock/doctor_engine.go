package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"drydock/sandbox"
	"drydock/sandbox/docker"
)

// What is said of the engine itself.
const (
	checkRuntime = "runtime"
	checkCgroup  = "cgroup"
	checkStorage = "storage"
	checkShields = "shields"
)

// examineFacts says how well the engine can close a sandbox, with advice where
// it could do better. Only a runtime that was asked for and is missing fails.
func examineFacts(ctx context.Context, engine *docker.Engine, policy sandbox.Policy) []check {
	facts, err := engine.Facts(ctx)
	if err != nil {
		return []check{{ID: checkRuntime, Status: checkFail, Detail: oneLine(err)}}
	}
	runtime := examineRuntime(facts)
	if err := engine.CheckRuntime(ctx, policy); err != nil {
		runtime = check{ID: checkRuntime, Status: checkFail, Detail: oneLine(err)}
	}
	return []check{runtime, examineCgroup(facts), examineStorage(facts), examineShields(facts)}
}

func examineRuntime(f docker.Facts) check {
	c := check{ID: checkRuntime, Status: checkOK, Detail: fmt.Sprintf("%s; %s unless another is chosen", strings.Join(f.Runtimes, ", "), f.DefaultRuntime)}
	if slices.ContainsFunc(f.Runtimes, sandbox.SentryRuntime) {
		c.Hint = "--runtime runsc runs a sandbox on gVisor's kernel instead of this machine's"
	} else {
		c.Hint = "gVisor would keep sandboxes off this machine's kernel: make runsc, or docs/engines.md"
	}
	return c
}

func examineCgroup(f docker.Facts) check {
	c := check{ID: checkCgroup, Status: checkOK, Detail: fmt.Sprintf("version %s, driver %s", f.CgroupVersion, f.CgroupDriver)}
	switch {
	case len(f.Unlimited) > 0:
		c.Status = checkWarn
		c.Detail += "; no limits of " + strings.Join(f.Unlimited, ", ")
		c.Hint = "the kernel lacks these controllers, or they are not delegated to a rootless engine"
	case f.CgroupVersion == "1":
		c.Hint = "version 1 works; version 2 is what rootless engines need for limits"
	}
	return c
}

func examineStorage(f docker.Facts) check {
	c := check{ID: checkStorage, Status: checkOK, Detail: f.Storage}
	switch f.Quota {
	case docker.QuotaYes:
		c.Detail += ", with quotas"
	case docker.QuotaPerhaps:
		c.Hint = "disk quotas work if it is mounted with pquota"
	case docker.QuotaNone:
		c.Detail += ", without quotas"
		c.Hint = "a run's disk use is watched inside; overlay2 on xfs with pquota would bound it"
	}
	return c
}

func examineShields(f docker.Facts) check {
	c := check{ID: checkShields, Status: checkOK, Detail: strings.Join(f.Shields, ", ")}
	switch {
	case !slices.Contains(f.Shields, "seccomp"):
		c.Status, c.Detail = checkWarn, strings.TrimPrefix(c.Detail+", no seccomp filter", ", ")
		c.Hint = "every system call of the kernel is open to sandboxes: switch the default seccomp profile on"
	case slices.Contains(f.Shields, "rootless"), slices.Contains(f.Shields, "userns"):
	default:
		c.Hint = "a rootless engine, or userns-remap, would make a sandbox's root nobody on this machine"
	}
	return c
}
