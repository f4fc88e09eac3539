// Package images knows drydock's own images, what is in them and how they are
// made, and brings any image to the engine before a sandbox needs it.
//
// Each image is a list of Debian packages and one common recipe. Where a
// registry is in reach, the engine builds the image from the Dockerfile;
// elsewhere mmdebstrap installs the same packages on this host and the result
// is imported. Labels say what an image was made from, so that it is made
// again only when that has changed.
package images

import (
	"context"
	"time"

	"drydock/sandbox/docker"
)

// Engine is what this package needs of a container engine; *docker.Engine is one.
type Engine interface {
	InspectImage(ctx context.Context, ref string) (docker.Image, error)
	PullImage(ctx context.Context, ref string, report func(docker.PullProgress)) error
	BuildImage(ctx context.Context, spec docker.ImageBuild, output func(line string)) error
	ImportImage(ctx context.Context, spec docker.ImageImport) error
}

// Builder brings images to one engine. It is safe for concurrent use: an image
// that several callers want at the same time is built or pulled once.
type Builder struct {
	engine   Engine
	arch     string
	version  string
	inFlight keyedLock
	// bootstrap makes a root file system without a registry.
	bootstrap func(ctx context.Context, r Recipe, report func(Step)) (rootfs, error)
	// lockDir holds the locks between processes; empty means none.
	lockDir string
	// registryLimit is how long a registry may be silent.
	registryLimit time.Duration
}

// NewBuilder returns a Builder for an engine whose architecture, as Go names
// it, is arch. The version is drydock's own and ends up in a label.
func NewBuilder(engine Engine, arch, version string) *Builder {
	return &Builder{
		engine: engine, arch: arch, version: version,
		bootstrap: startBootstrap, lockDir: defaultLockDir(),
		registryLimit: registryLimit,
	}
}
