package docker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/distribution/reference"
	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"

	"drydock/sandbox"
)

// ErrImageMissing means that the engine does not have the image.
var ErrImageMissing = errors.New("is not on the engine")

// Image is what the engine knows of one image. The configuration is the
// image's own: a sandbox replaces or overrides most of it.
type Image struct {
	ID           string // content address, sha256:…
	Reference    string // the name it was asked for by
	Architecture string // as Go names it, for example amd64
	OS           string
	Created      time.Time // zero where the engine does not say
	Size         int64     // bytes on the engine's disk
	Labels       map[string]string

	Env         []string // NAME=value
	User        string   // empty means root
	WorkingDir  string
	Entrypoint  []string
	Cmd         []string
	Volumes     []string // mount points, sorted
	Healthcheck bool     // the image asks the engine to run a health check
}

// InspectImage reads what the engine knows of an image, given by name or ID.
// Where the engine has no such image the error is a *sandbox.ImageError that
// wraps ErrImageMissing; a name that no image can have is one as well.
func (e *Engine) InspectImage(ctx context.Context, ref string) (Image, error) {
	if _, err := reference.ParseAnyReference(ref); err != nil {
		return Image{}, &sandbox.ImageError{Image: strconv.Quote(ref), Err: fmt.Errorf("is not a name of an image: %w", err)}
	}
	resp, err := e.cli.ImageInspect(ctx, ref)
	if errdefs.IsNotFound(err) {
		return Image{}, &sandbox.ImageError{Image: ref, Err: ErrImageMissing}
	}
	if err != nil {
		return Image{}, engineErr("inspect image "+ref, err)
	}
	return fromInspect(ref, resp), nil
}

func fromInspect(ref string, resp image.InspectResponse) Image {
	img := Image{
		ID: resp.ID, Reference: ref,
		Architecture: resp.Architecture, OS: resp.Os, Size: resp.Size,
	}
	img.Created, _ = time.Parse(time.RFC3339Nano, resp.Created)
	cfg := resp.Config
	if cfg == nil {
		return img
	}
	img.Labels = cfg.Labels
	img.Env, img.User, img.WorkingDir = cfg.Env, cfg.User, cfg.WorkingDir
	img.Entrypoint, img.Cmd = cfg.Entrypoint, cfg.Cmd
	img.Volumes = slices.Sorted(maps.Keys(cfg.Volumes))
	if check := cfg.Healthcheck; check != nil && len(check.Test) > 0 {
		img.Healthcheck = check.Test[0] != "NONE"
	}
	return img
}

// imageErr tells why an image could not be had. An ended context and an engine
// that is gone are not the image's fault and stay what they are.
func imageErr(op, ref string, err error) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		var request *url.Error // which repeats all that was asked for
		if errors.As(err, &request) {
			err = request.Err
		}
		return fmt.Errorf("%s image %s: %w", op, ref, err)
	case client.IsErrConnectionFailed(err):
		return engineErr(op+" image "+ref, err)
	}
	return &sandbox.ImageError{Image: ref, Err: oneLine(tidy(err))}
}

// oneLine keeps an engine's message on the one line that it is shown on.
func oneLine(err error) error {
	msg := err.Error()
	if flat := strings.Join(strings.Fields(msg), " "); flat != msg {
		return trimmed{err, flat}
	}
	return err
}

// replacing runs change, which moves the name ref to another image, and then
// removes the image that had this name before if nothing else needs it: half a
// gigabyte that nobody could reach by name any more.
func (e *Engine) replacing(ctx context.Context, ref string, change func() error) error {
	before, _ := e.cli.ImageInspect(ctx, ref) // none yet is fine
	if err := change(); err != nil {
		return err
	}
	if before.ID == "" {
		return nil
	}
	e.dropFurnished(ctx, ref, "")
	old, err := e.cli.ImageInspect(ctx, before.ID)
	if err == nil && len(old.RepoTags) == 0 && len(old.RepoDigests) == 0 {
		// A container that still uses it makes the engine refuse, rightly.
		_, _ = e.cli.ImageRemove(ctx, old.ID, image.RemoveOptions{PruneChildren: true})
	}
	return nil
}
