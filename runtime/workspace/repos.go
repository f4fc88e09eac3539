package workspace

import (
	"path"
	"slices"
	"strings"

	"drydock/runtime/workspace/gitdiff"
	"drydock/runtime/workspace/gitindex"
	"drydock/runtime/workspace/ignore"
)

// maxIndexLen bounds an index file that is read, in bytes.
const maxIndexLen = 512 << 20

// repos is what the git repositories of a snapshot say about its files.
type repos struct {
	snap *Snapshot
	// dirs are the directories with a repository. The value says that every file
	// counts as tracked, as the index could not be read.
	dirs    map[string]bool
	tracked map[string]bool // paths in the indexes
	whole   map[string]bool // directories of which every file counts as tracked
	// builds are directories that are build output by name but hold tracked files.
	builds map[string]bool
	format gitdiff.ObjectFormat // of the repository in the top directory
}

// findRepos reads the repositories of a snapshot.
func findRepos(snap *Snapshot, notes *notes) *repos {
	r := &repos{
		snap: snap, dirs: map[string]bool{}, tracked: map[string]bool{},
		whole: map[string]bool{}, builds: map[string]bool{},
	}
	var inner []string
	for _, p := range snap.paths {
		if path.Base(p) != ".git" {
			continue
		}
		gitDir, ok := snap.gitDir(p)
		if !ok {
			continue
		}
		inner = append(inner, r.read(parentDir(p), gitDir, notes)...)
	}
	for _, dir := range inner {
		if _, known := r.dirs[dir]; !known {
			r.whole[dir] = true
		}
	}
	return r
}

// parentDir is the directory of p, "" for the top.
func parentDir(p string) string { return p[:max(0, strings.LastIndexByte(p, '/'))] }

// gitDir finds the repository that the ".git" at p is or leads to.
func (s *Snapshot) gitDir(p string) (string, bool) {
	dir := p
	switch e := s.entries[p]; e.Kind {
	case Symlink:
		dir = path.Join(parentDir(p), e.Target)
	case File:
		data, _ := s.read(p, maxPathLen+1)
		target, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
		if !ok {
			return "", false
		}
		dir = path.Join(parentDir(p), target)
	}
	_, ok := s.entries[dir+"/HEAD"]
	return dir, ok
}

// commonDir is where a repository keeps what all its worktrees share.
func (s *Snapshot) commonDir(gitDir string) string {
	data, ok := s.read(gitDir+"/commondir", maxPathLen)
	if !ok {
		return gitDir
	}
	return path.Join(gitDir, strings.TrimSpace(string(data)))
}

func (s *Snapshot) objectFormat(gitDir string) gitdiff.ObjectFormat {
	config, _ := s.read(s.commonDir(gitDir)+"/config", maxConfigLen)
	if usesSHA256(config) {
		return gitdiff.SHA256
	}
	return gitdiff.SHA1
}

// read adds the repository of the directory dir. It returns the directories of
// which the index does not list the files: submodules and sparse ones.
func (r *repos) read(dir, gitDir string, notes *notes) (inner []string) {
	format := r.snap.objectFormat(gitDir)
	if dir == "" {
		r.format = format
	}
	r.dirs[dir] = false
	name := gitDir + "/index"
	for range 2 { // the index and what it may share with others
		if _, ok := r.snap.entries[name]; !ok {
			break
		}
		data, _ := r.snap.read(name, maxIndexLen)
		idx, err := gitindex.Parse(data, format.HexLen()/2)
		if err != nil {
			notes.addf("%q cannot be read, so every file counts as tracked", name)
			r.dirs[dir] = true
			return nil
		}
		inner = append(inner, r.addIndex(dir, idx)...)
		if idx.SharedID == "" {
			break
		}
		name = gitDir + "/sharedindex." + idx.SharedID
	}
	return inner
}

func (r *repos) addIndex(dir string, idx gitindex.Index) (inner []string) {
	for _, p := range idx.Paths {
		p = path.Join(dir, p)
		r.tracked[p] = true
		if root := buildRoot(p); root != "" && root != p {
			r.builds[root] = true
		}
	}
	for _, p := range slices.Concat(idx.Submodules, idx.SparseDirs) {
		inner = append(inner, path.Join(dir, p))
	}
	return inner
}

// has says whether git tracked path when the snapshot was taken. Outside of
// repositories every file of the snapshot counts as tracked.
func (r *repos) has(path string) bool {
	if r.tracked[path] {
		return true
	}
	_, inSnapshot := r.snap.entries[path]
	inRepo := false
	for dir := parentDir(path); ; dir = parentDir(dir) {
		all, isRepo := r.dirs[dir]
		if inSnapshot && (all || r.whole[dir]) {
			return true
		}
		inRepo = inRepo || isRepo
		if dir == "" {
			return inSnapshot && !inRepo
		}
	}
}

// isJunk says whether a path that the snapshot has not is build output in a
// place where git tracks none.
func (r *repos) isJunk(path string) bool {
	root := buildRoot(path)
	return root != "" && !r.builds[root]
}

// addExcludes adds the rules of each repository's info/exclude.
func (r *repos) addExcludes(m *ignore.Matcher, notes *notes) {
	for _, p := range r.snap.paths {
		if path.Base(p) != ".git" {
			continue
		}
		gitDir, ok := r.snap.gitDir(p)
		if !ok {
			continue
		}
		name := r.snap.commonDir(gitDir) + "/info/exclude"
		data, ok := r.snap.read(name, ignore.MaxFileLen)
		if !ok {
			continue
		}
		if err := m.AddExclude(parentDir(p), data); err != nil {
			notes.addf("the rules in %q do not count: %v", name, err)
		}
	}
}
