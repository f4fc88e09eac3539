package fake

import (
	"bytes"
	"crypto/sha256"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"drydock/sandbox/wire"
)

// store is a file system of regular files and directories, all of them the tool
// user's.
type store struct {
	mu    sync.Mutex
	nodes map[string]node // by absolute clean path; "/" is always there
}

type node struct {
	dir  bool
	mode uint32
	data []byte
}

// fault is a refusal, as the guest words it.
type fault struct{ code, message string }

func newStore(dirs ...string) *store {
	s := &store{nodes: map[string]node{"/": {dir: true, mode: 0o755}}}
	for _, d := range dirs {
		s.makeDirs(d)
	}
	return s
}

// makeDirs makes a directory with those above it.
func (s *store) makeDirs(dir string) *fault {
	if n, ok := s.nodes[dir]; ok {
		if !n.dir {
			return &fault{wire.CodeNotDir, dir + ": not a directory"}
		}
		return nil
	}
	if f := s.makeDirs(path.Dir(dir)); f != nil {
		return f
	}
	s.nodes[dir] = node{dir: true, mode: 0o755}
	return nil
}

// find gives what is at a path, or says why nothing is.
func (s *store) find(name string) (node, *fault) {
	if n, ok := s.nodes[name]; ok {
		return n, nil
	}
	for up := path.Dir(name); ; up = path.Dir(up) {
		if n, ok := s.nodes[up]; ok {
			if !n.dir {
				return node{}, &fault{wire.CodeNotDir, name + ": not a directory"}
			}
			return node{}, &fault{wire.CodeNotFound, name + ": no such file or directory"}
		}
	}
}

func (s *store) file(name string) (node, *fault) {
	n, f := s.find(name)
	if f == nil && n.dir {
		f = &fault{wire.CodeIsDir, name + " is a directory"}
	}
	return n, f
}

// expected says why a file is not the one that a condition names.
func expected(name string, n node, sum []byte) *fault {
	if got := sha256.Sum256(n.data); sum != nil && !bytes.Equal(got[:], sum) {
		return &fault{wire.CodeChanged, name + " was changed meanwhile"}
	}
	return nil
}

func (s *store) write(name string, data []byte, opts wire.WriteOptions) (wire.FileInfo, *fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, f := s.file(name)
	mode := old.mode
	switch {
	case f == nil && opts.New:
		return wire.FileInfo{}, &fault{wire.CodeExists, name + " exists already"}
	case f == nil:
		f = expected(name, old, opts.Expect)
	case f.code == wire.CodeNotFound && opts.Expect != nil:
		f = &fault{wire.CodeChanged, name + " no longer exists"}
	case f.code == wire.CodeNotFound:
		f = s.makeDirs(path.Dir(name))
		if mode = opts.Mode; mode == 0 {
			mode = 0o644
		}
	}
	if f != nil {
		return wire.FileInfo{}, f
	}
	if opts.SetMod {
		mode = opts.Mode
	}
	s.nodes[name] = node{mode: mode, data: data}
	return wire.FileInfo{Path: []byte(name), Mode: mode, Size: int64(len(data))}, nil
}

func (s *store) remove(name string, opts wire.WriteOptions) *fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, f := s.file(name)
	if f == nil {
		f = expected(name, n, opts.Expect)
	}
	if f == nil {
		delete(s.nodes, name)
	}
	return f
}

// below lists the paths under a directory, relative to it, in order.
func (s *store) below(dir string) []string {
	prefix := strings.TrimSuffix(dir, "/") + "/"
	var names []string
	for _, name := range slices.Sorted(maps.Keys(s.nodes)) {
		if rel, ok := strings.CutPrefix(name, prefix); ok && rel != "" {
			names = append(names, rel)
		}
	}
	return names
}

// at is the node at a path relative to a directory.
func (s *store) at(dir, rel string) node { return s.nodes[path.Join(dir, rel)] }
