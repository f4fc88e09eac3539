package images

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"drydock/sandbox"
	"drydock/sandbox/docker"
)

// Result is what Build did.
type Result struct {
	Image docker.Image
	Built bool // false: the image was up to date
}

// Build makes one of drydock's own images, given by its short name, unless the
// engine has it already and nothing that it is made of has changed; force
// makes it in any case. The report may be nil. Failures are a
// *sandbox.ImageError, or a *sandbox.EngineError when the engine fails.
func (b *Builder) Build(ctx context.Context, name string, force bool, report func(Step)) (Result, error) {
	recipe, err := NewRecipe(name, b.arch)
	if err != nil {
		return Result{}, err
	}
	send, stop := serial(report)
	defer stop()
	release, err := b.lock(ctx, recipe, send)
	if err != nil {
		return Result{}, fmt.Errorf("build image %s: %w", recipe.Ref, err)
	}
	defer release()
	img, err := b.engine.InspectImage(ctx, recipe.Ref)
	if err != nil && !errors.Is(err, docker.ErrImageMissing) {
		return Result{}, err
	}
	if err == nil && !force && upToDate(img, recipe) {
		return Result{Image: img}, nil
	}
	if err := b.make(ctx, recipe, force, send); err != nil {
		return Result{}, err
	}
	img, err = b.engine.InspectImage(ctx, recipe.Ref)
	return Result{Image: img, Built: true}, err
}

func upToDate(img docker.Image, r Recipe) bool { return img.Labels[LabelDigest] == r.Digest }

// lock is held while an image is built: by one caller here, by one process on
// this machine.
func (b *Builder) lock(ctx context.Context, r Recipe, report func(Step)) (release func(), err error) {
	here, err := b.inFlight.acquire(ctx, r.Ref)
	if err != nil {
		return nil, err
	}
	everywhere, err := lockFile(ctx, b.lockDir, r.Name, func() {
		report(Step{Stage: StageWait, Detail: "another drydock builds " + r.Ref})
	})
	if err != nil {
		here()
		return nil, err
	}
	return func() { everywhere(); here() }, nil
}

// make builds from the Dockerfile where a registry answers, and bootstraps
// where none does or where that build fails, as it must when containers cannot
// reach the package mirror that this host can.
func (b *Builder) make(ctx context.Context, r Recipe, force bool, report func(Step)) error {
	noRegistry := b.fetchBase(ctx, r, report)
	if ctx.Err() != nil {
		return fmt.Errorf("build image %s: %w", r.Ref, ctx.Err())
	}
	var why string
	if noRegistry == nil {
		report(Step{Stage: StageDecide, Detail: "building " + r.Ref + " from its Dockerfile"})
		err := b.fromDockerfile(ctx, r, force, report)
		if err == nil || ctx.Err() != nil || isEngineError(err) {
			return err
		}
		why = fmt.Sprintf("the build from the Dockerfile failed (%v)", reason(err))
	} else {
		why = fmt.Sprintf("no registry is in reach (%v)", reason(noRegistry))
	}
	report(Step{Stage: StageDecide, Detail: "bootstrapping " + r.Ref + " with mmdebstrap: " + why})
	err := b.fromBootstrap(ctx, r, report)
	if err == nil || ctx.Err() != nil || isEngineError(err) {
		return err
	}
	return &sandbox.ImageError{Image: r.Ref, Err: fmt.Errorf("could not be built: %s, and %w", why, reason(err))}
}

// fetchBase brings the image that the Dockerfile starts from. Where it cannot
// be pulled, one that is here already will do.
func (b *Builder) fetchBase(ctx context.Context, r Recipe, report func(Step)) error {
	report(Step{Stage: StageDecide, Detail: "looking for a registry"})
	err := b.pull(ctx, r.from(), report)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if _, missing := b.engine.InspectImage(ctx, r.from()); missing == nil {
		return nil
	}
	return err
}

func (b *Builder) fromDockerfile(ctx context.Context, r Recipe, force bool, report func(Step)) error {
	buildContext, err := r.buildContext()
	if err != nil {
		return err
	}
	var log installLog
	err = b.engine.BuildImage(ctx, docker.ImageBuild{
		Ref: r.Ref, Context: buildContext, Labels: r.labels(b.version), NoCache: force,
	}, func(line string) {
		if s, ok := log.step(line); ok {
			report(s)
		}
	})
	if err == nil || log.failure == "" || ctx.Err() != nil || isEngineError(err) {
		return err
	}
	return &sandbox.ImageError{Image: r.Ref, Err: fmt.Errorf("%s: %w", log.failure, reason(err))}
}

// buildContext is the tar that the engine builds from.
func (r Recipe) buildContext() (io.Reader, error) {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, f := range []struct {
		name string
		body []byte
	}{
		{"Dockerfile", mustFile("Dockerfile")},
		{"dpkg.cfg", mustFile("dpkg.cfg")},
		{"setup.sh", mustFile("setup.sh")},
		{"packages", r.packageFile()},
	} {
		header := &tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.body))}
		if err := w.WriteHeader(header); err != nil {
			return nil, fmt.Errorf("write build context: %w", err)
		}
		if _, err := w.Write(f.body); err != nil {
			return nil, fmt.Errorf("write build context: %w", err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("write build context: %w", err)
	}
	return &buf, nil
}

func isEngineError(err error) bool {
	var engineErr *sandbox.EngineError
	return errors.As(err, &engineErr)
}

// reason takes an image error's own reason, where the image is named already.
func reason(err error) error {
	var imageErr *sandbox.ImageError
	if errors.As(err, &imageErr) {
		return imageErr.Err
	}
	return err
}
