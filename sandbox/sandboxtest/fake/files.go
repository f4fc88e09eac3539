package fake

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"

	"drydock/sandbox/wire"
)

// routes adds the file protocol.
func (s *store) routes(mux *http.ServeMux) {
	mux.HandleFunc("GET "+wire.PathFile, at(s.serveRead))
	mux.HandleFunc("PUT "+wire.PathFile, at(s.serveWrite))
	mux.HandleFunc("DELETE "+wire.PathFile, at(s.serveRemove))
	mux.HandleFunc("GET "+wire.PathList, at(s.serveList))
	mux.HandleFunc("GET "+wire.PathWalk, at(s.serveWalk))
	mux.HandleFunc("PUT "+wire.PathTar, at(s.serveUnpack))
	mux.HandleFunc("POST "+wire.PathTar, s.servePack)
}

// at checks the path of a request and sends a refusal.
func at(serve func(http.ResponseWriter, *http.Request, string) *fault) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Query().Get("path")
		f := &fault{wire.CodeInvalid, strconv.Quote(name) + " is not an absolute path"}
		if path.IsAbs(name) {
			f = serve(w, r, path.Clean(name))
		}
		if f != nil {
			_, _ = io.Copy(io.Discard, r.Body)
			refuse(w, f.code, f.message)
		}
	}
}

func (s *store) serveRead(w http.ResponseWriter, r *http.Request, name string) *fault {
	s.mu.Lock()
	n, f := s.file(name)
	s.mu.Unlock()
	if f != nil {
		return f
	}
	info := wire.FileInfo{Path: []byte(name), Mode: n.mode, Size: int64(len(n.data))}
	if limit, err := strconv.Atoi(r.URL.Query().Get("limit")); err == nil && limit < len(n.data) {
		n.data, info.Truncated = n.data[:limit], true
	}
	raw, _ := json.Marshal(info)
	w.Header().Set(wire.InfoHeader, string(raw))
	_, _ = w.Write(n.data)
	return nil
}

func options(r *http.Request) (opts wire.WriteOptions, f *fault) {
	if err := json.Unmarshal([]byte(r.Header.Get(wire.OptionsHeader)), &opts); err != nil {
		return opts, &fault{wire.CodeInvalid, "read write options: " + err.Error()}
	}
	return opts, nil
}

func (s *store) serveWrite(w http.ResponseWriter, r *http.Request, name string) *fault {
	opts, f := options(r)
	if f != nil {
		return f
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, wire.MaxFile))
	if err != nil {
		return &fault{wire.CodeInternal, err.Error()}
	}
	info, f := s.write(name, data, opts)
	if f == nil {
		reply(w, info)
	}
	return f
}

func (s *store) serveRemove(w http.ResponseWriter, r *http.Request, name string) *fault {
	opts, f := options(r)
	if f == nil {
		f = s.remove(name, opts)
	}
	if f == nil {
		reply(w, struct{}{})
	}
	return f
}

// dir gives the entries of a directory.
func (s *store) dir(name string) ([]string, *fault) {
	n, f := s.find(name)
	if f == nil && !n.dir {
		f = &fault{wire.CodeNotDir, name + " is not a directory"}
	}
	return s.below(name), f
}

func (s *store) serveList(w http.ResponseWriter, r *http.Request, name string) *fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	names, f := s.dir(name)
	if f != nil {
		return f
	}
	depth, _ := strconv.Atoi(r.URL.Query().Get("depth"))
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	var listing wire.Listing
	for _, rel := range names {
		if strings.HasPrefix(rel, ".") || strings.Contains(rel, "/.") || strings.Count(rel, "/") >= max(depth, 1) {
			continue
		}
		if len(listing.Entries) >= limit {
			listing.Truncated = true
			break
		}
		n := s.at(name, rel)
		listing.Entries = append(listing.Entries, wire.ListEntry{Path: []byte(rel), IsDir: n.dir, Size: int64(len(n.data))})
	}
	reply(w, listing)
	return nil
}

func (s *store) serveWalk(w http.ResponseWriter, _ *http.Request, name string) *fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	names, f := s.dir(name)
	if f != nil {
		return f
	}
	lines := json.NewEncoder(w)
	for _, rel := range names {
		n := s.at(name, rel)
		e := wire.WalkEntry{Path: []byte(rel), Kind: "d", Mode: n.mode, Size: int64(len(n.data))}
		if !n.dir {
			sum := sha256.Sum256(n.data)
			e.Kind, e.Sum = "f", sum[:]
		}
		_ = lines.Encode(e)
	}
	return nil
}

// serveUnpack takes files and directories, which is all that can be kept.
func (s *store) serveUnpack(w http.ResponseWriter, r *http.Request, name string) *fault {
	archive := tar.NewReader(r.Body)
	for {
		hdr, err := archive.Next()
		if errors.Is(err, io.EOF) {
			reply(w, struct{}{})
			return nil
		}
		var data []byte
		if err == nil {
			data, err = io.ReadAll(archive)
		}
		if err != nil {
			return &fault{wire.CodeInvalid, "read archive: " + err.Error()}
		}
		target := path.Join(name, path.Join("/", hdr.Name))
		f := (*fault)(nil)
		switch hdr.Typeflag {
		case tar.TypeDir:
			s.mu.Lock()
			f = s.makeDirs(target)
			s.mu.Unlock()
		case tar.TypeReg:
			_, f = s.write(target, data, wire.WriteOptions{Mode: uint32(hdr.Mode), SetMod: true})
		default:
			f = &fault{wire.CodeInvalid, strconv.Quote(hdr.Name) + " cannot be kept"}
		}
		if f != nil {
			return f
		}
	}
}

func (s *store) servePack(w http.ResponseWriter, r *http.Request) {
	var req wire.TarRequest
	if !ask(w, r, &req) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	archive := tar.NewWriter(w)
	for _, name := range req.Paths {
		n, ok := s.nodes[path.Join(req.Root, string(name))]
		if !ok {
			continue
		}
		hdr := tar.Header{Name: string(name), Mode: int64(n.mode), Typeflag: tar.TypeReg, Size: int64(len(n.data)), Format: tar.FormatGNU}
		if n.dir {
			hdr.Name, hdr.Typeflag = hdr.Name+"/", tar.TypeDir
		}
		if archive.WriteHeader(&hdr) != nil {
			return
		}
		_, _ = archive.Write(n.data)
	}
	_ = archive.Close()
}
