package workspace

import (
	"archive/tar"
	"fmt"
	"io"
	"os"
)

// Empty is the snapshot of a workspace with nothing in it, spooled like that of
// [Take].
func Empty(spool *os.File) (*Snapshot, error) {
	out := &countingWriter{w: io.NewOffsetWriter(spool, 0)}
	if err := tar.NewWriter(out).Close(); err != nil {
		return nil, fmt.Errorf("spool an empty workspace: %w", err)
	}
	return &Snapshot{spool: spool, size: out.n, entries: map[string]*baseEntry{}}, nil
}
