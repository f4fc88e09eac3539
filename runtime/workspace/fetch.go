package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"drydock/internal/scratch"
	"drydock/runtime/workspace/gitdiff"
)

// A request to a source names no more than this.
const (
	batchFiles = 4096
	batchNames = 4 << 20 // bytes of paths
)

// fetcher brings contents out of a source into a file without a name.
type fetcher struct {
	src    Source
	format gitdiff.ObjectFormat
	spool  *os.File
	size   int64
	got    map[string]fetched
	buf    []byte
}

// fetched is a content in the spool and the object name git gives it.
type fetched struct {
	offset, size int64
	id           string
}

func newFetcher(src Source, format gitdiff.ObjectFormat) (*fetcher, error) {
	spool, err := scratch.File("")
	if err != nil {
		return nil, err
	}
	return &fetcher{src: src, format: format, spool: spool, got: map[string]fetched{}, buf: make([]byte, 128<<10)}, nil
}

func (f *fetcher) close() { _ = f.spool.Close() }

// fetch gets the contents of files. One that is not what its entry says, in
// length and hash, is not in got afterwards.
func (f *fetcher) fetch(ctx context.Context, want []Entry) error {
	batch, names := map[string]Entry{}, 0
	for _, e := range want {
		if _, ok := f.got[e.Path]; ok {
			continue
		}
		if len(batch) == batchFiles || names+len(e.Path) > batchNames {
			if err := f.fetchBatch(ctx, batch); err != nil {
				return err
			}
			batch, names = map[string]Entry{}, 0
		}
		batch[e.Path] = e
		names += len(e.Path)
	}
	return f.fetchBatch(ctx, batch)
}

func (f *fetcher) fetchBatch(ctx context.Context, batch map[string]Entry) error {
	if len(batch) == 0 {
		return nil
	}
	paths := sortedKeys(batch)
	err := f.src.Fetch(ctx, paths, func(path string, content io.Reader) error {
		e, ok := batch[path]
		if !ok {
			return nil // not asked for, or a second time
		}
		delete(batch, path)
		return f.store(ctx, e, content)
	})
	if err != nil {
		return fmt.Errorf("fetch changed files: %w", err)
	}
	return nil
}

func (f *fetcher) store(ctx context.Context, e Entry, content io.Reader) error {
	sum, id := sha256.New(), f.format.BlobHash(e.Size)
	dst := io.MultiWriter(io.NewOffsetWriter(f.spool, f.size), sum, id)
	// One byte more tells that the content is longer than it should be.
	src := io.LimitReader(contextReader{ctx, content}, e.Size+1)
	n, err := io.CopyBuffer(onlyWriter{dst}, src, f.buf)
	if err != nil {
		return fmt.Errorf("%q: %w", e.Path, err)
	}
	if n != e.Size || [sha256.Size]byte(sum.Sum(nil)) != e.SHA256 {
		return nil // it changed meanwhile, and the next one takes its room
	}
	f.got[e.Path] = fetched{offset: f.size, size: n, id: hex.EncodeToString(id.Sum(nil))}
	f.size += n
	return nil
}

// read gives a content that was fetched.
func (f *fetcher) read(path string) ([]byte, bool) {
	c, ok := f.got[path]
	if !ok {
		return nil, false
	}
	data := make([]byte, c.size)
	_, err := io.ReadFull(f.open(c), data)
	return data, err == nil
}

func (f *fetcher) open(c fetched) io.Reader { return io.NewSectionReader(f.spool, c.offset, c.size) }
