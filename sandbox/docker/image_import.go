package docker

import (
	"context"
	"io"

	"github.com/docker/docker/api/types/image"
)

// ImageImport is a root file system to make an image of.
type ImageImport struct {
	Ref     string    // the name the image gets
	Rootfs  io.Reader // an uncompressed or compressed tar; its Read must end with the context
	Changes []string  // its configuration, as Dockerfile lines: ENV, LABEL, WORKDIR, CMD …
}

// ImportImage makes an image of one layer, for the engine's own architecture.
// An error of the Rootfs reader aborts the import: a file system that was cut
// short never becomes an image. The name moves only when the import has
// succeeded; the image that had it before is removed unless it is in use or
// has another name.
func (e *Engine) ImportImage(ctx context.Context, spec ImageImport) error {
	return e.replacing(ctx, spec.Ref, func() error {
		fail := func(err error) error {
			if ctx.Err() != nil {
				err = ctx.Err() // a reader that ends with it may say something else
			}
			return imageErr("import", spec.Ref, err)
		}
		source := image.ImportSource{Source: spec.Rootfs, SourceName: "-"}
		body, err := e.cli.ImageImport(ctx, source, spec.Ref, image.ImportOptions{Changes: spec.Changes})
		if err != nil {
			return fail(err)
		}
		defer body.Close()
		if err := readMessages(body, func(imageMessage) {}); err != nil {
			return fail(err)
		}
		return nil
	})
}
