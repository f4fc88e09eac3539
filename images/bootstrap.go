package images

import (
	"context"
	"io"

	"drydock/sandbox/docker"
)

// rootfs is the tar of a root file system that is being made. Where it cannot
// be completed, Read gives the reason instead of io.EOF. Close stops the making,
// removes what it left on the disk, and gives that reason again.
type rootfs io.ReadCloser

// importReport is how many bytes pass between two reports of an import.
const importReport = 8 << 20

// fromBootstrap streams a fresh root file system straight into the engine.
func (b *Builder) fromBootstrap(ctx context.Context, r Recipe, report func(Step)) error {
	tree, err := b.bootstrap(ctx, r, report)
	if err != nil {
		return err
	}
	err = b.engine.ImportImage(ctx, docker.ImageImport{
		Ref: r.Ref, Changes: r.changes(b.version),
		Rootfs: &meteredReader{Reader: tree, report: report},
	})
	if failure := tree.Close(); failure != nil && ctx.Err() == nil {
		return failure // the engine only saw that the stream broke off
	}
	return err
}

// meteredReader reports what passes through it.
type meteredReader struct {
	io.Reader
	report   func(Step)
	n, shown int64
}

func (m *meteredReader) Read(p []byte) (int, error) {
	n, err := m.Reader.Read(p)
	m.n += int64(n)
	if m.n-m.shown >= importReport || (err != nil && m.n > m.shown) {
		m.shown = m.n
		m.report(Step{Stage: StageImport, Current: m.n})
	}
	return n, err
}
