package docker

import (
	"testing"

	"github.com/docker/docker/api/types/system"
	"gotest.tools/v3/assert"
)

func TestFacts(t *testing.T) {
	old := factsOf(system.Info{
		Driver: "fuse-overlayfs", CgroupVersion: "1", CgroupDriver: "cgroupfs", DefaultRuntime: "runc",
		Runtimes:    map[string]system.RuntimeWithStatus{"runsc": {}, "runc": {}},
		MemoryLimit: true, PidsLimit: true, CPUCfsQuota: true,
		SecurityOptions: []string{"name=seccomp,profile=default"},
	})
	assert.DeepEqual(t, old, Facts{
		Runtimes: []string{"runc", "runsc"}, DefaultRuntime: "runc", CgroupVersion: "1", CgroupDriver: "cgroupfs",
		Unlimited: []string{"swap"}, Storage: "fuse-overlayfs", Quota: QuotaNone, Shields: []string{"seccomp"},
	})
	rootless := factsOf(system.Info{
		Driver: "overlay2", DriverStatus: [][2]string{{"Backing Filesystem", "xfs"}, {"Supports d_type", "true"}},
		CgroupVersion: "2", CgroupDriver: "none",
		SecurityOptions: []string{"name=seccomp,profile=unconfined", "name=apparmor", "name=rootless", "name=cgroupns"},
	})
	assert.Equal(t, rootless.Storage, "overlay2 on xfs")
	assert.Equal(t, rootless.Quota, QuotaPerhaps)
	assert.DeepEqual(t, rootless.Shields, []string{"apparmor", "rootless", "cgroupns"})
	assert.DeepEqual(t, rootless.Unlimited, []string{"memory", "swap", "processes", "processors"})
	assert.Equal(t, factsOf(system.Info{Driver: "btrfs"}).Quota, QuotaYes)
	assert.Equal(t, factsOf(system.Info{Driver: "overlay2", DriverStatus: [][2]string{{"Backing Filesystem", "extfs"}}}).Quota, QuotaNone)
}
