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
	"strconv"

	"drydock/sandbox/wire"
)

// ReadFile reads a file as the tool user, at most limit bytes.
func (s *Sandbox) ReadFile(ctx context.Context, path string, limit int64) ([]byte, wire.FileInfo, error) {
	const op = "read a file"
	query := url.Values{"path": {path}, "limit": {strconv.FormatInt(limit, 10)}}
	resp, err := s.do(ctx, http.MethodGet, wire.PathFile, query, nil, nil)
	if err != nil {
		return nil, wire.FileInfo{}, s.fail(ctx, op, err)
	}
	defer resp.Body.Close()
	var info wire.FileInfo
	if err := json.Unmarshal([]byte(resp.Header.Get(wire.InfoHeader)), &info); err != nil {
		return nil, info, s.lost(ctx, op, fmt.Errorf("read file description: %w", err))
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, limit))
	return data, info, s.fail(ctx, op, err)
}

// WriteFile replaces or creates a file as the tool user, in one step.
func (s *Sandbox) WriteFile(ctx context.Context, path string, data []byte, opts wire.WriteOptions) (wire.FileInfo, error) {
	var info wire.FileInfo
	resp, err := s.sendFile(ctx, http.MethodPut, path, opts, bytes.NewReader(data))
	if err == nil {
		err = decode(resp.Body, &info)
		_ = resp.Body.Close()
	}
	return info, s.fail(ctx, "write a file", err)
}

// RemoveFile deletes a file, if its content still has the hash in opts.
func (s *Sandbox) RemoveFile(ctx context.Context, path string, opts wire.WriteOptions) error {
	resp, err := s.sendFile(ctx, http.MethodDelete, path, opts, nil)
	if err == nil {
		_ = resp.Body.Close()
	}
	return s.fail(ctx, "remove a file", err)
}

func (s *Sandbox) sendFile(ctx context.Context, method, path string, opts wire.WriteOptions, body io.Reader) (*http.Response, error) {
	raw, err := json.Marshal(opts)
	if err != nil {
		return nil, fmt.Errorf("encode options: %w", err)
	}
	header := http.Header{wire.OptionsHeader: {string(raw)}}
	return s.do(ctx, method, wire.PathFile, url.Values{"path": {path}}, header, body)
}

// List lists a directory to a depth, at most limit entries, hidden ones left out.
func (s *Sandbox) List(ctx context.Context, path string, depth, limit int) (wire.Listing, error) {
	query := url.Values{"path": {path}, "depth": {strconv.Itoa(depth)}, "limit": {strconv.Itoa(limit)}}
	var listing wire.Listing
	err := s.get(ctx, wire.PathList, query, &listing)
	return listing, s.fail(ctx, "list a directory", err)
}

// CopyIn unpacks an uncompressed tar below dir, owned by the tool user.
func (s *Sandbox) CopyIn(ctx context.Context, dir string, archive io.Reader) error {
	resp, err := s.do(ctx, http.MethodPut, wire.PathTar, url.Values{"path": {dir}}, nil, archive)
	if err == nil {
		_ = resp.Body.Close()
	}
	return s.fail(ctx, "copy files in", err)
}

// maxWalkLine bounds one line of a walk: two paths in base64 and some numbers.
const maxWalkLine = 32 << 10

// Walk describes everything below dir. What it says comes from the sandbox:
// names and sizes are claims.
func (s *Sandbox) Walk(ctx context.Context, dir string, visit func(wire.WalkEntry) error) error {
	const op = "list the workspace"
	resp, err := s.do(ctx, http.MethodGet, wire.PathWalk, url.Values{"path": {dir}}, nil, nil)
	if err != nil {
		return s.fail(ctx, op, err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(make([]byte, 4096), maxWalkLine)
	for lines.Scan() {
		var e wire.WalkEntry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return s.lost(ctx, op, fmt.Errorf("read entry: %w", err))
		}
		if err := visit(e); err != nil {
			return err
		}
	}
	return s.fail(ctx, op, lines.Err())
}

// CopyOut reads the named entries below root as a tar stream and shows each to
// visit. Content that visit does not read is skipped.
func (s *Sandbox) CopyOut(ctx context.Context, root string, paths []string, visit func(*tar.Header, io.Reader) error) error {
	const op = "copy files out"
	req := wire.TarRequest{Root: root}
	for _, p := range paths {
		req.Paths = append(req.Paths, []byte(p))
	}
	raw, err := json.Marshal(req)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	resp, err := s.do(ctx, http.MethodPost, wire.PathTar, nil, nil, bytes.NewReader(raw))
	if err != nil {
		return s.fail(ctx, op, err)
	}
	defer resp.Body.Close()
	tr := tar.NewReader(resp.Body)
	for {
		hdr, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return s.fail(ctx, op, fmt.Errorf("read archive: %w", err))
		}
		if err := visit(hdr, tr); err != nil {
			return err
		}
	}
}
