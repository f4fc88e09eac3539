package docker

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
)

// listFurnished lists the images with the guest that were made for a reference,
// or for any if it is empty.
func (e *Engine) listFurnished(ctx context.Context, base string) ([]image.Summary, error) {
	label := labelBase
	if base != "" {
		label += "=" + base
	}
	return e.cli.ImageList(ctx, image.ListOptions{Filters: filters.NewArgs(filters.Arg("label", label))})
}

// furnishedTags are the names of an image that drydock gave it. Others mean that
// somebody made it, or wants it: what is built above an image has its labels.
func furnishedTags(img image.Summary) []string {
	var own []string
	for _, tag := range img.RepoTags {
		if strings.HasPrefix(tag, furnishedRepository+":") {
			own = append(own, tag)
		}
	}
	return own
}

func (e *Engine) sweepImages(ctx context.Context, opts SweepOptions) (Leftovers, error) {
	list, err := e.listFurnished(ctx, "")
	if err != nil {
		return nil, engineErr("list the images with the guest", err)
	}
	var all Leftovers
	var failed []error
	for _, img := range list {
		for _, tag := range furnishedTags(img) {
			left, err := e.sweepImage(ctx, tag, opts)
			if err != nil {
				failed = append(failed, err)
			}
			if left != nil {
				all = append(all, *left)
			}
		}
	}
	return all, errors.Join(failed...)
}

// sweepImage looks at an image again and removes it if its own image is gone.
// It gives nothing for one that is of use.
func (e *Engine) sweepImage(ctx context.Context, tag string, opts SweepOptions) (*Leftover, error) {
	img, err := e.cli.ImageInspect(ctx, tag)
	if errdefs.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, engineErr("inspect image "+tag, err)
	}
	if img.Config == nil {
		return nil, nil
	}
	is, why := e.judgeImage(ctx, img.Config.Labels)
	left := &Leftover{Kind: KindImage, ID: img.ID, Name: tag, Reason: why, Fate: FateKept, Size: e.ownSize(ctx, img)}
	if tagged := img.Metadata.LastTagTime; !tagged.IsZero() {
		left.Age = time.Since(tagged)
	}
	switch {
	case is == lifeGoing:
		return nil, nil
	case is == lifeUnknown && !opts.All:
		return left, nil
	case e.used(ctx, img.ID):
		left.Reason = "a container uses it"
		return left, nil
	case opts.DryRun:
		left.Fate = FateDoomed
		return left, nil
	}
	// Without force: the engine refuses when a container has come to use it.
	_, err = e.cli.ImageRemove(ctx, tag, image.RemoveOptions{PruneChildren: true})
	switch {
	case err == nil || e.imageGone(ctx, tag):
		left.Fate = FateRemoved
	case errdefs.IsConflict(err):
		left.Reason = "a container uses it"
	default:
		left.Reason = "it could not be removed"
		return left, engineErr("remove image "+tag, err)
	}
	return left, nil
}

// imageGone tells a removal that failed from one that another process was faster
// at: the engine has several words for that.
func (e *Engine) imageGone(ctx context.Context, tag string) bool {
	_, err := e.cli.ImageInspect(ctx, tag)
	return errdefs.IsNotFound(err)
}

// judgeImage says whether the image that a furnished one was made from can still
// be asked for, by the name it had then or by another one.
func (e *Engine) judgeImage(ctx context.Context, labels map[string]string) (life, string) {
	ref, from := labels[labelBase], labels[labelFrom]
	if from == "" {
		return lifeUnknown, "its labels do not say which image it was made from"
	}
	named, err := e.cli.ImageInspect(ctx, ref)
	if err == nil && named.ID == from {
		return lifeGoing, ""
	}
	why := "the image " + ref + " is another one now"
	if errdefs.IsNotFound(err) {
		why = "the image " + ref + " is not on the engine any more"
	}
	base, err := e.cli.ImageInspect(ctx, from)
	switch {
	case errdefs.IsNotFound(err), err == nil && len(base.RepoTags)+len(base.RepoDigests) == 0:
		return lifeOver, why
	case err != nil:
		return lifeUnknown, "the image " + ref + " cannot be looked at"
	}
	return lifeGoing, ""
}

// used says whether a container has the image, and assumes it in doubt.
func (e *Engine) used(ctx context.Context, id string) bool {
	list, err := e.cli.ContainerList(ctx, container.ListOptions{All: true, Limit: 1, Filters: filters.NewArgs(filters.Arg("ancestor", id))})
	return err != nil || len(list) > 0
}

// ownSize is what an image takes beyond the one it was made from: all of it, when
// that one is gone and has left it its layers.
func (e *Engine) ownSize(ctx context.Context, img image.InspectResponse) int64 {
	from := img.Config.Labels[labelFrom]
	if from == "" {
		return 0
	}
	base, err := e.cli.ImageInspect(ctx, from)
	if errdefs.IsNotFound(err) {
		return img.Size
	}
	return max(img.Size-base.Size, 0)
}
