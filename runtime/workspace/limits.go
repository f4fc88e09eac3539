package workspace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Limits bound the directory that [Take] accepts. Zero means the default.
type Limits struct {
	MaxBytes int64 // content of all files; default 2 GiB
	MaxFiles int   // files, directories and symlinks; default 200,000
	// Raise tells the person how to raise a limit, as the end of a sentence. The
	// default names no option.
	Raise string
}

const (
	defaultMaxBytes = 2 << 30
	defaultMaxFiles = 200_000
	defaultRaise    = "raise the workspace limit or choose a smaller directory"
)

func (l Limits) withDefaults() Limits {
	if l.MaxBytes == 0 {
		l.MaxBytes = defaultMaxBytes
	}
	if l.MaxFiles == 0 {
		l.MaxFiles = defaultMaxFiles
	}
	if l.Raise == "" {
		l.Raise = defaultRaise
	}
	return l
}

// LimitError means that a directory is larger than a limit allows. Bytes and
// Files are what was counted before giving up, Biggest the directories that hold
// most of it.
type LimitError struct {
	Dir     string
	Limits  Limits
	Bytes   int64
	Files   int
	Biggest []DirUsage
}

// DirUsage is what a directory holds, with everything below it.
type DirUsage struct {
	Path  string // relative to the workspace
	Bytes int64
	Files int
}

func (e *LimitError) tooManyBytes() bool { return e.Bytes > e.Limits.MaxBytes }

func (e *LimitError) Error() string {
	var b strings.Builder
	if e.tooManyBytes() {
		fmt.Fprintf(&b, "workspace %s holds more than %s (at least %s)", e.Dir, byteSize(e.Limits.MaxBytes), byteSize(e.Bytes))
	} else {
		fmt.Fprintf(&b, "workspace %s holds more than %d files (at least %d)", e.Dir, e.Limits.MaxFiles, e.Files)
	}
	for i, d := range e.Biggest {
		sep := ", "
		if i == 0 {
			sep = "; most is in "
		}
		size := byteSize(d.Bytes)
		if !e.tooManyBytes() {
			size = fmt.Sprintf("%d files", d.Files)
		}
		fmt.Fprintf(&b, "%s%q (%s)", sep, d.Path, size)
	}
	fmt.Fprintf(&b, ": %s", e.Limits.Raise)
	return b.String()
}

// byteSize prints a number of bytes in the unit that suits it.
func byteSize(n int64) string {
	v, unit := float64(n), "B"
	for _, u := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if v < 1024 {
			break
		}
		v, unit = v/1024, u
	}
	if unit == "B" {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", v, unit)
}

const (
	usageDepth   = 3 // directory levels counted one by one
	biggestShown = 3
)

// usage counts what directories hold.
type usage struct {
	total DirUsage
	dirs  map[string]*DirUsage
}

func (u *usage) add(path string, bytes int64) {
	u.total.Files++
	u.total.Bytes += bytes
	for depth, at := 0, 0; depth < usageDepth; depth++ {
		i := strings.IndexByte(path[at:], '/')
		if i < 0 {
			return
		}
		dir := path[:at+i]
		at += i + 1
		if u.dirs == nil {
			u.dirs = map[string]*DirUsage{}
		}
		d := u.dirs[dir]
		if d == nil {
			d = &DirUsage{Path: dir}
			u.dirs[dir] = d
		}
		d.Files++
		d.Bytes += bytes
	}
}

// biggest gives the directories that hold most. A directory gives way to one
// inside it that holds nearly all of its content, as that says more.
func (u *usage) biggest(size func(*DirUsage) int64) []DirUsage {
	inner := map[string]int64{} // by directory: the size of the largest below it
	for path, d := range u.dirs {
		for i := strings.LastIndexByte(path, '/'); i > 0; i = strings.LastIndexByte(path[:i], '/') {
			inner[path[:i]] = max(inner[path[:i]], size(d))
		}
	}
	var all []*DirUsage
	for path, d := range u.dirs {
		if inner[path]*5 <= size(d)*4 {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b *DirUsage) int {
		return cmp.Or(cmp.Compare(size(b), size(a)), strings.Compare(a.Path, b.Path))
	})
	var top []DirUsage
	for _, d := range all {
		inside := func(t DirUsage) bool { return strings.HasPrefix(d.Path, t.Path+"/") }
		if len(top) < biggestShown && !slices.ContainsFunc(top, inside) {
			top = append(top, *d)
		}
	}
	return top
}
