package guest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"drydock/sandbox/wire"
)

func protectWorker() error {
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
}

// fileRoutes is the worker's side of the file protocol.
func fileRoutes(outside []string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+wire.PathFile, readFile)
	mux.HandleFunc("PUT "+wire.PathFile, writeFile)
	mux.HandleFunc("DELETE "+wire.PathFile, removeFile)
	mux.HandleFunc("GET "+wire.PathList, listDir)
	mux.HandleFunc("GET "+wire.PathWalk, walkTree)
	mux.HandleFunc("PUT "+wire.PathTar, unpackTar)
	mux.HandleFunc("POST "+wire.PathTar, packTar)
	mux.HandleFunc("GET "+pathUsage, usageOf(outside))
	return mux
}

// maxPath is the kernel's own bound on a path.
const maxPath = 4096

func pathOf(r *http.Request) (string, error) {
	path := r.URL.Query().Get("path")
	if !filepath.IsAbs(path) || len(path) >= maxPath || bytes.IndexByte([]byte(path), 0) >= 0 {
		if len(path) >= maxPath {
			return "", syscall.ENAMETOOLONG
		}
		return "", &failure{wire.CodeInvalid, fmt.Sprintf("%q is not an absolute path", path)}
	}
	return path, nil
}

// readFile sends a file's content, up to the limit asked for.
func readFile(w http.ResponseWriter, r *http.Request) {
	path, err := pathOf(r)
	if err != nil {
		answer(w, nil, err)
		return
	}
	limit, err := strconv.ParseInt(r.URL.Query().Get("limit"), 10, 64)
	if err != nil || limit < 0 || limit > wire.MaxFile {
		limit = wire.MaxFile
	}
	f, info, err := openRegular(path)
	if err != nil {
		answer(w, nil, err)
		return
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		answer(w, nil, err)
		return
	}
	if int64(len(data)) > limit {
		data, info.Truncated = data[:limit], true
	}
	sendInfo(w, info)
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	_, _ = w.Write(data)
}

func sendInfo(w http.ResponseWriter, info wire.FileInfo) {
	raw, _ := json.Marshal(info)
	w.Header().Set(wire.InfoHeader, string(raw))
}

// openRegular opens a regular file without ever waiting for a pipe or a device.
func openRegular(path string) (*os.File, wire.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, wire.FileInfo{}, err
	}
	st, err := f.Stat()
	if err == nil {
		err = mustBeRegular(path, st)
	}
	if err != nil {
		_ = f.Close()
		return nil, wire.FileInfo{}, err
	}
	return f, describeFile(path, st), nil
}

func mustBeRegular(path string, st os.FileInfo) error {
	if st.IsDir() {
		return &failure{wire.CodeIsDir, path + " is a directory"}
	}
	if !st.Mode().IsRegular() {
		return &failure{wire.CodeNotRegular, path + " is not a regular file"}
	}
	return nil
}

func describeFile(path string, st os.FileInfo) wire.FileInfo {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return wire.FileInfo{Path: []byte(path), Mode: uint32(st.Mode().Perm()), Size: st.Size(), IsDir: st.IsDir()}
}

// writeFile replaces a file's content in one step.
func writeFile(w http.ResponseWriter, r *http.Request) {
	path, err := pathOf(r)
	if err != nil {
		answer(w, nil, err)
		return
	}
	var opts wire.WriteOptions
	if err := json.Unmarshal([]byte(r.Header.Get(wire.OptionsHeader)), &opts); err != nil {
		answer(w, nil, &failure{wire.CodeInvalid, "read write options: " + err.Error()})
		return
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, wire.MaxFile+1))
	if err == nil && len(data) > wire.MaxFile {
		err = &failure{wire.CodeTooLarge, "content is over the limit"}
	}
	var info wire.FileInfo
	if err == nil {
		info, err = replaceFile(path, data, opts)
	}
	answer(w, info, err)
}

// resolveTarget follows links to the file that a write is meant for, also where
// the last link points to nothing yet.
func resolveTarget(path string) (string, error) {
	for range 40 {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			return real, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		link, err := os.Readlink(path)
		if err != nil {
			return resolveParent(path)
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(filepath.Dir(path), link)
		}
		path = link
	}
	return "", syscall.ELOOP
}

// resolveParent resolves the part of a path that exists.
func resolveParent(path string) (string, error) {
	dir, base := filepath.Split(filepath.Clean(path))
	if base == "" {
		return path, nil
	}
	real, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, os.ErrNotExist) {
		real, err = resolveParent(filepath.Clean(dir))
	}
	if err != nil {
		return "", err
	}
	return filepath.Join(real, base), nil
}

// removeFile takes back a creation.
func removeFile(w http.ResponseWriter, r *http.Request) {
	path, err := pathOf(r)
	if err == nil {
		var opts wire.WriteOptions
		_ = json.Unmarshal([]byte(r.Header.Get(wire.OptionsHeader)), &opts)
		if err = expect(path, opts.Expect); err == nil {
			err = os.Remove(path)
		}
	}
	answer(w, struct{}{}, err)
}
