package docker

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"

	"drydock/sandbox"
)

// quota knows whether the engine's storage can bound a container's disk. Where
// it cannot, the guest's watch is all there is.
type quota struct {
	ask     sync.Once
	offered bool
	refused atomic.Bool // the engine said no after all: project quotas are not switched on
}

// apply asks for the bound where it may be had.
func (q *quota) apply(ctx context.Context, cli *client.Client, p sandbox.Profile, host *container.HostConfig) {
	q.ask.Do(func() { q.offered = offersQuota(ctx, cli) })
	if q.offered && !q.refused.Load() && !p.ReadOnlyRoot {
		host.StorageOpt = map[string]string{"size": strconv.FormatInt(p.Disk, 10)}
	}
}

// withdraw takes the request back after a failed creation, and says whether
// there was one.
func (q *quota) withdraw(host *container.HostConfig) bool {
	if host.StorageOpt == nil {
		return false
	}
	host.StorageOpt = nil
	q.refused.Store(true)
	return true
}

// offersQuota tells the storage drivers that have quotas: overlay2 on xfs, and
// those that give every container a volume of its own.
func offersQuota(ctx context.Context, cli *client.Client) bool {
	info, err := cli.Info(ctx)
	if err != nil {
		return false
	}
	switch info.Driver {
	case "btrfs", "zfs", "devicemapper":
		return true
	case "overlay2":
		return slices.Contains(info.DriverStatus, [2]string{"Backing Filesystem", "xfs"})
	}
	return false
}
