package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
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
	bounded, cancel := context.WithTimeoutCause(ctx, answerLimit, errEndless)
	defer cancel()
	resp, err := s.do(bounded, http.MethodGet, wire.PathFile, query, nil, nil)
	if err != nil {
		return nil, wire.FileInfo{}, s.fail(ctx, op, err)
	}
	defer resp.Body.Close()
	data, info, err := readContent(resp, limit)
	return data, info, s.fail(ctx, op, err)
}

func readContent(resp *http.Response, limit int64) ([]byte, wire.FileInfo, error) {
	var info wire.FileInfo
	if err := json.Unmarshal([]byte(resp.Header.Get(wire.InfoHeader)), &info); err != nil {
		return nil, info, fmt.Errorf("read the guest's answer: file description: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err == nil {
		err = verifyContent(info, int64(len(data)), limit)
	}
	if err != nil {
		return nil, wire.FileInfo{}, err
	}
	return data, info, nil
}

// WriteFile replaces or creates a file as the tool user, in one step.
func (s *Sandbox) WriteFile(ctx context.Context, path string, data []byte, opts wire.WriteOptions) (wire.FileInfo, error) {
	bounded, cancel := context.WithTimeoutCause(ctx, answerLimit, errEndless)
	defer cancel()
	var info wire.FileInfo
	resp, err := s.sendFile(bounded, http.MethodPut, path, opts, bytes.NewReader(data))
	if err == nil {
		err = s.decode(resp.Body, &info)
		_ = resp.Body.Close()
	}
	return info, s.fail(ctx, "write a file", err)
}

// RemoveFile deletes a file, if its content still has the hash in opts.
func (s *Sandbox) RemoveFile(ctx context.Context, path string, opts wire.WriteOptions) error {
	bounded, cancel := context.WithTimeoutCause(ctx, answerLimit, errEndless)
	defer cancel()
	resp, err := s.sendFile(bounded, http.MethodDelete, path, opts, nil)
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
	if err == nil && len(listing.Entries) > limit {
		err = fmt.Errorf("the guest's answer lists %d entries of at most %d", len(listing.Entries), limit)
	}
	return listing, s.fail(ctx, "list a directory", err)
}
