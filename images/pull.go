package images

import (
	"context"
	"errors"
	"fmt"
	"time"

	"drydock/sandbox/docker"
)

var errSilentRegistry = errors.New("the registry does not answer")

// registryLimit is how long a registry may take to give a first sign of life.
// A machine without one must not wait for long.
const registryLimit = 12 * time.Second

// pull downloads an image. The registry must give a first sign of life within
// the Builder's limit; after that only ctx ends the download.
func (b *Builder) pull(ctx context.Context, ref string, report func(Step)) error {
	pullCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	patience := time.AfterFunc(b.registryLimit, func() { cancel(errSilentRegistry) })
	defer patience.Stop()
	err := b.engine.PullImage(pullCtx, ref, func(p docker.PullProgress) {
		patience.Stop()
		report(Step{Stage: StagePull, Detail: p.Status, Current: p.Current, Total: p.Total})
	})
	if err != nil && errors.Is(context.Cause(pullCtx), errSilentRegistry) {
		return fmt.Errorf("%w for %s", errSilentRegistry, b.registryLimit)
	}
	return err
}
