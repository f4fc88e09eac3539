package docker

import (
	"context"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
)

// remove deletes a container by force and waits until it is gone. An engine that
// does not answer is asked so many times in all.
func (e *Engine) remove(ctx context.Context, id string, tries int) error {
	for {
		_, err := retried(ctx, tries, func() (struct{}, error) {
			return struct{}{}, e.cli.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
		})
		if err == nil || errdefs.IsNotFound(err) {
			return nil
		}
		if !errdefs.IsConflict(err) {
			return engineErr("remove the sandbox", err)
		}
		// The engine is removing it on its own account; look again until it has.
		if _, err := e.cli.ContainerInspect(ctx, id); errdefs.IsNotFound(err) {
			return nil
		}
		select {
		case <-ctx.Done():
			return engineErr("remove the sandbox", ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}
