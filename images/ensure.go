package images

import (
	"context"
	"errors"
	"fmt"

	"drydock/sandbox"
	"drydock/sandbox/docker"
)

// Ensure makes sure that the engine has an image, and says what is in it. One
// of drydock's own (base, drydock/base, drydock/base:latest …) is built when it
// is missing or outdated; if rebuilding an outdated one fails, the report gets
// a warning and the old image serves. Any other image is pulled when it is
// missing, and the report gets a warning when it is for another architecture
// than the engine's. The report may be nil. An image that cannot be had is a
// *sandbox.ImageError, whose one line says why and what to do.
func (b *Builder) Ensure(ctx context.Context, ref string, report func(Step)) (docker.Image, error) {
	name, own, err := ownName(ref)
	if err != nil {
		return docker.Image{}, err
	}
	if own {
		return b.ensureOwn(ctx, name, report)
	}
	img, err := b.ensureOther(ctx, ref, report)
	if err == nil && report != nil && !native(img.Architecture, b.arch) {
		// No error: an engine may emulate.
		report(Step{Stage: StageWarning, Detail: fmt.Sprintf(
			"%s is for %s and the engine is %s: its programs run only if the engine emulates that", ref, img.Architecture, b.arch)})
	}
	return img, err
}

// native tells whether programs of an image's architecture, "" if the engine
// does not say, run on the engine's as they are.
func native(image, engine string) bool {
	image, engine = debianArch(image), debianArch(engine)
	return image == "" || image == engine || image == "i386" && engine == "amd64"
}

func (b *Builder) ensureOwn(ctx context.Context, name string, report func(Step)) (docker.Image, error) {
	recipe, err := NewRecipe(name, b.arch)
	if err != nil {
		return docker.Image{}, err
	}
	img, err := b.engine.InspectImage(ctx, recipe.Ref)
	switch {
	case err == nil && upToDate(img, recipe):
		return img, nil
	case err != nil && !errors.Is(err, docker.ErrImageMissing):
		return docker.Image{}, err
	}
	outdated := err == nil
	result, err := b.Build(ctx, name, false, report)
	if err == nil || !outdated || ctx.Err() != nil || isEngineError(err) {
		return result.Image, err
	}
	if report != nil {
		report(Step{Stage: StageWarning, Detail: fmt.Sprintf("using the outdated %s: %v", recipe.Ref, reason(err))})
	}
	return img, nil
}

func (b *Builder) ensureOther(ctx context.Context, ref string, report func(Step)) (docker.Image, error) {
	release, err := b.inFlight.acquire(ctx, ref)
	if err != nil {
		return docker.Image{}, fmt.Errorf("pull image %s: %w", ref, err)
	}
	defer release()
	img, err := b.engine.InspectImage(ctx, ref)
	if !errors.Is(err, docker.ErrImageMissing) {
		return img, err
	}
	send, stop := serial(report)
	defer stop()
	if err := b.pull(ctx, ref, send); err != nil {
		if ctx.Err() != nil || isEngineError(err) {
			return docker.Image{}, err
		}
		return docker.Image{}, &sandbox.ImageError{Image: ref, Err: fmt.Errorf(
			"is neither on the engine nor could it be pulled: %w; "+
				"check the name, or load it yourself with docker pull or docker load", reason(err))}
	}
	return b.engine.InspectImage(ctx, ref)
}
