package workspace

import (
	"context"
	"io"
)

// contextReader stops reading when the context ends.
type contextReader struct {
	ctx context.Context //nolint:containedctx // lives for one copy
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// failingReader remembers that it was reading that failed, not writing.
type failingReader struct {
	r   io.Reader
	err error
}

func (f *failingReader) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if err != nil && err != io.EOF {
		f.err = err
	}
	return n, err
}

// onlyWriter hides that a writer can read from a file by itself, which would
// bypass the buffer given to the copy.
type onlyWriter struct{ io.Writer }

// zeros reads as zeros without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
