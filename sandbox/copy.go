package sandbox

import (
	"archive/tar"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"drydock/sandbox/wire"
)

// CopyIn unpacks an uncompressed tar below dir, owned by the tool user.
func (s *Sandbox) CopyIn(ctx context.Context, dir string, archive io.Reader) error {
	bounded, cancel := context.WithTimeoutCause(ctx, copyLimit, errEndless)
	defer cancel()
	resp, err := s.do(bounded, http.MethodPut, wire.PathTar, url.Values{"path": {dir}}, nil, archive)
	if err == nil {
		_ = resp.Body.Close()
	}
	return s.fail(ctx, "copy files in", err)
}

// maxWalkLine bounds one line of a walk: two paths in base64, a reason, and some
// numbers.
const maxWalkLine = 48 << 10

// Walk describes everything below dir. What it says comes from the sandbox:
// names, sizes and hashes are claims. But each path leads down from dir, and
// what belongs to another kind of entry is empty.
func (s *Sandbox) Walk(ctx context.Context, dir string, visit func(wire.WalkEntry) error) error {
	const op = "list the workspace"
	bounded, cancel := context.WithTimeoutCause(ctx, copyLimit, errEndless)
	defer cancel()
	resp, err := s.do(bounded, http.MethodGet, wire.PathWalk, url.Values{"path": {dir}}, nil, nil)
	if err != nil {
		return s.fail(ctx, op, err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(make([]byte, 4096), maxWalkLine)
	for count := 0; lines.Scan(); count++ {
		e, err := readWalkEntry(lines.Bytes())
		if err == nil && count == wire.MaxWalk {
			err = fmt.Errorf("the guest's answer lists over %d entries", wire.MaxWalk)
		}
		if err != nil {
			return s.fail(ctx, op, err)
		}
		if err := visit(e); err != nil {
			return err
		}
	}
	return s.fail(ctx, op, lines.Err())
}

func readWalkEntry(line []byte) (wire.WalkEntry, error) {
	var e wire.WalkEntry
	if err := json.Unmarshal(line, &e); err != nil {
		return e, fmt.Errorf("read the guest's answer: entry: %w", err)
	}
	if err := verifyWalkEntry(e); err != nil {
		return wire.WalkEntry{}, err
	}
	e.Err = oneLine(e.Err, wire.MaxMessage)
	return e, nil
}

// CopyOut reads the named entries below root as a tar stream and shows each to
// visit. Content that visit does not read is skipped. Headers and contents are
// the sandbox's word: an Extractor is what may write them down.
func (s *Sandbox) CopyOut(ctx context.Context, root string, paths []string, visit func(*tar.Header, io.Reader) error) error {
	const op = "copy files out"
	bounded, cancel := context.WithTimeoutCause(ctx, copyLimit, errEndless)
	defer cancel()
	req := wire.TarRequest{Root: root}
	for _, p := range paths {
		req.Paths = append(req.Paths, []byte(p))
	}
	raw, err := json.Marshal(req)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	resp, err := s.do(bounded, http.MethodPost, wire.PathTar, nil, nil, bytes.NewReader(raw))
	if err != nil {
		return s.fail(ctx, op, err)
	}
	defer resp.Body.Close()
	err = readArchive(resp.Body, len(paths), visit)
	var bad *archiveError
	if errors.As(err, &bad) {
		return s.fail(ctx, op, bad)
	}
	return err
}

// archiveError is something wrong with an archive, not with what is done about it.
type archiveError struct{ err error }

func (e *archiveError) Error() string { return "read archive: " + e.err.Error() }
func (e *archiveError) Unwrap() error { return e.err }

// readArchive shows at most that many entries to visit.
func readArchive(body io.Reader, most int, visit func(*tar.Header, io.Reader) error) error {
	tr := tar.NewReader(body)
	for count := 0; ; count++ {
		hdr, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && count == most {
			err = fmt.Errorf("the guest's answer holds more than the %d entries that were asked for", most)
		}
		if err != nil {
			return &archiveError{err}
		}
		content := &tracked{r: tr}
		if err := visit(hdr, content); content.err != nil {
			return &archiveError{content.err}
		} else if err != nil {
			return err
		}
	}
}

// tracked remembers that reading failed, which is the guest's fault and not that
// of whoever uses what was read.
type tracked struct {
	r   io.Reader
	err error
}

func (w *tracked) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err
}
