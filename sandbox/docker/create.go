package docker

import (
	"context"
	"errors"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"

	"drydock/sandbox"
)

// createGrace is how long a creation may go on after its caller gave up, and
// undoLimit how long what it left is looked for.
const (
	createGrace = 3 * time.Second
	undoLimit   = 3 * time.Second
)

// create makes the container. The engine finishes what it has begun although
// its caller has gone, and a container that was never started is not removed by
// itself. So a cancelled creation is waited for, a while, and undone.
func (e *Engine) create(ctx context.Context, spec sandbox.Spec, image, setup string) (string, error) {
	patient, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(createGrace, cancel) })
	defer stop()
	id, err := retried(ctx, again, func() (string, error) { return e.createOnce(patient, spec, image, setup) })
	switch {
	case err == nil && ctx.Err() == nil:
		return id, nil
	case err == nil:
		return "", also(engineErr("create the sandbox", context.Cause(ctx)), e.remove(patient, id, again))
	}
	if !refused(err) {
		e.undoCreate(ctx, spec.RunID)
	}
	if ctx.Err() != nil {
		return "", engineErr("create the sandbox", context.Cause(ctx))
	}
	return "", e.createErr(spec.Policy, err)
}

// createOnce finds the container of an earlier attempt whose answer got lost by
// its name, and takes it if it is this run's own.
func (e *Engine) createOnce(ctx context.Context, spec sandbox.Spec, image, setup string) (string, error) {
	profile := spec.Policy.Profile()
	config, host := containerConfig(spec, image, setup), hostConfig(profile)
	e.quota.apply(ctx, e.cli, profile, host)
	created, err := e.cli.ContainerCreate(ctx, config, host, nil, nil, containerName(spec.RunID))
	if err != nil && !errdefs.IsNotFound(err) && !errdefs.IsConflict(err) && e.quota.withdraw(host) {
		created, err = e.cli.ContainerCreate(ctx, config, host, nil, nil, containerName(spec.RunID))
	}
	if errdefs.IsConflict(err) {
		if id, _ := e.ownCreated(ctx, spec.RunID); id != "" {
			return id, nil
		}
	}
	if err == nil && created.ID == "" {
		err = errors.New("the engine's answer names no container")
	}
	return created.ID, err
}

// ownCreated gives the container that this process has made for a run and not
// started, "" where there is none.
func (e *Engine) ownCreated(ctx context.Context, runID string) (string, error) {
	info, err := e.cli.ContainerInspect(ctx, containerName(runID))
	if err != nil || info.Config == nil || info.State == nil || info.State.Status != container.StateCreated {
		return "", err
	}
	for name, want := range labels(runID) {
		if name != labelCreated && info.Config.Labels[name] != want {
			return "", nil
		}
	}
	return info.ID, nil
}

// undoCreate removes what a creation whose answer got lost may have left. There
// is nothing to say when that fails: the failure to create has been the first.
func (e *Engine) undoCreate(ctx context.Context, runID string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoLimit)
	defer cancel()
	id, _ := retried(ctx, whileItMay, func() (string, error) { return e.ownCreated(ctx, runID) })
	if id != "" {
		_ = e.remove(ctx, id, whileItMay)
	}
}

// createErr tells a missing image from the engine's other refusals.
func (e *Engine) createErr(p sandbox.Policy, err error) error {
	if errdefs.IsNotFound(err) {
		return &sandbox.ImageError{Image: p.Image, Err: errors.New("is not on the engine")}
	}
	return engineErr("create the sandbox", err)
}
