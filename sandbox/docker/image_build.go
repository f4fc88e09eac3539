package docker

import (
	"context"
	"io"
	"strings"

	"github.com/docker/docker/api/types/build"
)

// ImageBuild is an image to build from a Dockerfile.
type ImageBuild struct {
	Ref     string    // the name the image gets
	Context io.Reader // a tar with the Dockerfile and what it copies
	Labels  map[string]string
	NoCache bool // run every step again
}

// BuildImage has the engine build an image. Every line that the build prints
// goes to output. The name moves only when the build has succeeded; the image
// that had it before is removed unless it is in use or has another name.
func (e *Engine) BuildImage(ctx context.Context, spec ImageBuild, output func(line string)) error {
	return e.replacing(ctx, spec.Ref, func() error {
		resp, err := e.cli.ImageBuild(ctx, spec.Context, build.ImageBuildOptions{
			Tags: []string{spec.Ref}, Labels: spec.Labels, NoCache: spec.NoCache,
			Remove: true, ForceRemove: true,
		})
		if err != nil {
			return imageErr("build", spec.Ref, err)
		}
		defer resp.Body.Close()
		lines := lineSplitter{emit: output}
		err = readMessages(resp.Body, func(msg imageMessage) { lines.write(msg.Stream) })
		lines.flush()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		if err != nil {
			return imageErr("build", spec.Ref, err)
		}
		return nil
	})
}

// lineSplitter puts the pieces of output that the engine sends together to lines.
type lineSplitter struct {
	emit    func(line string)
	partial strings.Builder
}

func (l *lineSplitter) write(piece string) {
	for {
		line, rest, complete := strings.Cut(piece, "\n")
		l.partial.WriteString(line)
		if !complete {
			return
		}
		l.flush()
		piece = rest
	}
}

func (l *lineSplitter) flush() {
	if line := strings.TrimRight(l.partial.String(), "\r"); line != "" {
		l.emit(line)
	}
	l.partial.Reset()
}
