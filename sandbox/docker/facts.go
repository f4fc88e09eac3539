package docker

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/system"
)

// Facts are what an engine says of itself that bears on how well sandboxes are
// closed.
type Facts struct {
	Runtimes       []string // names, sorted
	DefaultRuntime string
	CgroupVersion  string // 1 or 2
	CgroupDriver   string
	Unlimited      []string // resources that the engine's kernel cannot limit: memory, swap, processes, processors
	Storage        string   // its storage driver, and what is below where it says so
	Quota          Quota    // of a container's disk
	Shields        []string // seccomp, apparmor, selinux, userns, rootless; those in use
}

// Quota says whether the engine can bound a container's disk.
type Quota string

// What can be said of quotas without trying.
const (
	QuotaNone    Quota = "none"
	QuotaPerhaps Quota = "perhaps" // where the file system is mounted with pquota
	QuotaYes     Quota = "yes"
)

// Facts asks the engine. The error is a *sandbox.EngineError.
func (e *Engine) Facts(ctx context.Context) (Facts, error) {
	info, err := e.cli.Info(ctx)
	if err != nil {
		return Facts{}, engineErr("ask the engine about itself", err)
	}
	return factsOf(info), nil
}

func factsOf(info system.Info) Facts {
	f := Facts{
		Runtimes: slices.Sorted(maps.Keys(info.Runtimes)), DefaultRuntime: info.DefaultRuntime,
		CgroupVersion: info.CgroupVersion, CgroupDriver: info.CgroupDriver, Shields: shields(info.SecurityOptions),
	}
	for _, r := range []struct {
		name string
		can  bool
	}{{"memory", info.MemoryLimit}, {"swap", info.SwapLimit}, {"processes", info.PidsLimit}, {"processors", info.CPUCfsQuota}} {
		if !r.can {
			f.Unlimited = append(f.Unlimited, r.name)
		}
	}
	f.Storage, f.Quota = info.Driver, QuotaNone
	backing := ""
	for _, pair := range info.DriverStatus {
		if pair[0] == "Backing Filesystem" {
			backing = pair[1]
			f.Storage += " on " + backing
		}
	}
	switch {
	case info.Driver == "btrfs", info.Driver == "zfs":
		f.Quota = QuotaYes
	case info.Driver == "overlay2" && strings.HasPrefix(backing, "xfs"):
		f.Quota = QuotaPerhaps
	}
	return f
}

// shields reads options such as name=seccomp,profile=default.
func shields(options []string) []string {
	var names []string
	for _, o := range options {
		name, rest, _ := strings.Cut(strings.TrimPrefix(o, "name="), ",")
		if !strings.Contains(rest, "profile=unconfined") {
			names = append(names, name)
		}
	}
	return names
}
