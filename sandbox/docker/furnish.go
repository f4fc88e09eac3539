package docker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"strings"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"

	"drydock/sandbox"
)

// Labels of a furnished image.
const (
	labelFurnished = "drydock.furnished"     // the key of what is in it
	labelBase      = "drydock.furnished-for" // the reference of the image below it
)

// furnishedRepository holds the images that have the guest in them already.
const furnishedRepository = "drydock/sandbox"

// furnishedImage makes sure that there is the image of a policy with the guest
// in it, one small layer above. Bringing the guest into each container anew
// takes the engine longer than creating the container does.
//
// It returns "" where that cannot be done, for whatever reason: the container
// is then furnished by itself.
func (e *Engine) furnishedImage(ctx context.Context, spec sandbox.Spec, guest []byte) string {
	base, err := e.InspectImage(ctx, spec.Policy.Image)
	if err != nil || coversFurniture(base.Volumes, spec) {
		return ""
	}
	key := furnishedKey(base.ID, spec, guest)
	ref := furnishedRepository + ":" + key
	if _, err := e.cli.ImageInspect(ctx, ref); err == nil {
		return ref
	}
	if err := e.makeFurnished(ctx, spec, guest, key, ref); err != nil {
		return ""
	}
	e.dropFurnished(ctx, spec.Policy.Image, key)
	return ref
}

// coversFurniture says whether a volume of the image would hide what the layer
// brings.
func coversFurniture(volumes []string, spec sandbox.Spec) bool {
	for _, dir := range furnishedDirs(spec) {
		for _, v := range volumes {
			if v = path.Clean(v); dir.path == v || strings.HasPrefix(dir.path, v+"/") {
				return true
			}
		}
	}
	return false
}

// furnishedKey stands for all that the layer is made of.
func furnishedKey(baseID string, spec sandbox.Spec, guest []byte) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%s\n%x\n%+v\n", baseID, sha256.Sum256(guest), furnishedDirs(spec))
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// makeFurnished makes the image from a container that is never started.
func (e *Engine) makeFurnished(ctx context.Context, spec sandbox.Spec, guest []byte, key, ref string) error {
	config := &container.Config{
		Image: spec.Policy.Image, Entrypoint: []string{"/"},
		Labels: map[string]string{labelFurnished: key, labelBase: spec.Policy.Image},
	}
	created, err := e.cli.ContainerCreate(ctx, config, &container.HostConfig{NetworkMode: "none"}, nil, nil, "")
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	defer func() { _ = e.remove(context.WithoutCancel(ctx), created.ID) }()
	c := &Container{engine: e, id: created.ID}
	if err := c.furnish(ctx, spec, guest); err != nil {
		return err
	}
	if _, err := e.cli.ContainerCommit(ctx, created.ID, container.CommitOptions{Reference: ref, Comment: "with drydock's guest"}); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// dropFurnished removes the furnished images made for a reference but the one
// to keep. What a container still uses stays.
func (e *Engine) dropFurnished(ctx context.Context, base, keep string) {
	list, err := e.cli.ImageList(ctx, image.ListOptions{Filters: filters.NewArgs(filters.Arg("label", labelBase+"="+base))})
	if err != nil {
		return
	}
	for _, img := range list {
		if img.Labels[labelFurnished] == keep {
			continue
		}
		for _, tag := range img.RepoTags {
			_, _ = e.cli.ImageRemove(ctx, tag, image.RemoveOptions{PruneChildren: true})
		}
	}
}
