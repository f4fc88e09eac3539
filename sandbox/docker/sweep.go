package docker

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
)

// Sweep removes what drydock made on the engine and what is of no use any more:
// containers whose owner is gone, with their anonymous volumes, and images with
// the guest in them whose own image has gone or changed. It never touches what
// has an owner, and lists and keeps what has one that is not known. Sweeps may
// run at the same time, and beside runs.
//
// What could not be removed is in the list, with the reason. The error, a
// *sandbox.EngineError, tells that the list is not complete or that something
// could not be removed.
func (e *Engine) Sweep(ctx context.Context, opts SweepOptions) (Leftovers, error) {
	all, err := e.sweepContainers(ctx, opts)
	if err != nil || opts.Quick {
		return all, err
	}
	images, err := e.sweepImages(ctx, opts)
	return append(all, images...), err
}

func (e *Engine) sweepContainers(ctx context.Context, opts SweepOptions) (Leftovers, error) {
	list, err := e.cli.ContainerList(ctx, container.ListOptions{
		All: true, Filters: filters.NewArgs(filters.Arg("label", labelApp+"="+appSandbox)),
	})
	if err != nil {
		return nil, engineErr("list the sandboxes", err)
	}
	var all Leftovers
	var failed []error
	for _, c := range list {
		is, _ := thisProcess().judge(c.Labels)
		if is == lifeGoing || (opts.Quick && is != lifeOver) {
			continue
		}
		left, err := e.sweepContainer(ctx, c.ID, opts)
		if err != nil {
			failed = append(failed, err)
		}
		if left != nil {
			all = append(all, *left)
		}
	}
	return all, errors.Join(failed...)
}

// sweepContainer decides on what the engine says now, since the list may be old.
// It gives nothing for a container that has gone by itself.
func (e *Engine) sweepContainer(ctx context.Context, id string, opts SweepOptions) (*Leftover, error) {
	info, err := e.cli.ContainerInspect(ctx, id)
	if errdefs.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, engineErr("inspect the sandbox "+short(id), err)
	}
	if info.ContainerJSONBase == nil || info.State == nil || info.Config == nil {
		return nil, engineErr("inspect the sandbox "+short(id), errors.New("the engine left out what was asked for"))
	}
	left := describeContainer(info)
	is, why := thisProcess().judge(info.Config.Labels)
	left.Fate, left.Reason = FateKept, why
	switch {
	case is == lifeGoing, e.labelledByImage(ctx, info):
		return nil, nil
	case is == lifeOver:
		left.Fate = opts.condemn()
	case opts.All && (!runs(info.State) || left.Age >= opts.OlderThan):
		left.Fate = opts.condemn()
	}
	if left.Fate != FateRemoved {
		return left, nil
	}
	if err := e.removeWithin(ctx, id); err != nil {
		left.Fate, left.Reason = FateKept, "it could not be removed"
		return left, err
	}
	return left, nil
}

func (e *Engine) removeWithin(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, removeLimit)
	defer cancel()
	return e.remove(ctx, id, again)
}

func describeContainer(info container.InspectResponse) *Leftover {
	left := &Leftover{
		Kind: KindContainer, ID: info.ID, Name: strings.TrimPrefix(info.Name, "/"), Run: info.Config.Labels[labelRun],
	}
	if created, err := time.Parse(time.RFC3339Nano, info.Created); err == nil {
		left.Age = time.Since(created)
	}
	return left
}

func runs(s *container.State) bool { return s.Running || s.Paused || s.Restarting }

// labelledByImage says whether a container has drydock's labels from its image:
// whoever commits a sandbox and runs the result has made a container of their own.
func (e *Engine) labelledByImage(ctx context.Context, info container.InspectResponse) bool {
	img, err := e.cli.ImageInspect(ctx, info.Image)
	return err == nil && img.Config != nil && img.Config.Labels[labelApp] == appSandbox
}

// short is an id as people see it.
func short(id string) string {
	_, digest, hashed := strings.Cut(id, ":")
	if !hashed {
		digest = id
	}
	return digest[:min(12, len(digest))]
}
