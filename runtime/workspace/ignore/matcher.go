package ignore

import (
	"errors"
	"strings"
)

const (
	// MaxFileLen is the most that is read of one file of rules, in bytes.
	MaxFileLen = 1 << 20
	// MaxRules bounds the rules of all files together.
	MaxRules = 20_000
	// maxSteps bounds the work of all questions to one Matcher together: some
	// seconds. A tree that a person works on needs a thousandth of it.
	maxSteps = 1 << 30
)

// ErrTooMany means that a file was not added because its rules would exceed
// [MaxRules] or [MaxFileLen].
var ErrTooMany = errors.New("too many ignore rules")

// Matcher holds the rules of a tree. It is not safe for concurrent use.
type Matcher struct {
	files   map[string]list // .gitignore by directory
	exclude []list          // .git/info/exclude, in the order they were added
	rules   int
	dirs    map[string]bool // verdicts on directories
	budget  int             // steps left
}

// New makes a Matcher without rules.
func New() *Matcher {
	return &Matcher{files: map[string]list{}, dirs: map[string]bool{}, budget: maxSteps}
}

// Add adds the content of the .gitignore file in dir, a slash-separated path
// relative to the root of the tree; the root itself is "". All files have to be
// added before the first question.
func (m *Matcher) Add(dir string, data []byte) error {
	l, err := m.parse(dir, data)
	if err == nil {
		m.files[l.base] = l
	}
	return err
}

// AddExclude adds the content of the info/exclude file of the repository in
// dir. Its rules come after those of all .gitignore files.
func (m *Matcher) AddExclude(dir string, data []byte) error {
	l, err := m.parse(dir, data)
	if err == nil {
		m.exclude = append(m.exclude, l)
	}
	return err
}

func (m *Matcher) parse(dir string, data []byte) (list, error) {
	if len(data) > MaxFileLen {
		return list{}, ErrTooMany
	}
	if dir != "" {
		dir += "/"
	}
	l := parse(dir, data)
	if m.rules+len(l.rules) > MaxRules {
		return list{}, ErrTooMany
	}
	m.rules += len(l.rules)
	return l, nil
}

// Ignored says whether the rules leave out path, by itself or with a directory
// above it: nothing below an ignored directory can be taken in again.
func (m *Matcher) Ignored(path string, isDir bool) bool {
	if m.rules == 0 {
		return false
	}
	if i := strings.LastIndexByte(path, '/'); i >= 0 && m.ignoredDir(path[:i]) {
		return true
	}
	return m.decide(path, isDir)
}

// Exhausted says whether the rules turned out too costly to decide by. From
// then on no path was ignored.
func (m *Matcher) Exhausted() bool { return m.budget <= 0 }

func (m *Matcher) ignoredDir(dir string) bool {
	v, known := m.dirs[dir]
	if !known {
		v = m.Ignored(dir, true)
		m.dirs[dir] = v
	}
	return v
}

// decide asks the files from the directory of path up to the root, then the
// exclude files. The first that has a rule for path decides.
func (m *Matcher) decide(path string, isDir bool) bool {
	for end := strings.LastIndexByte(path, '/') + 1; ; {
		if l, ok := m.files[path[:end]]; ok {
			if ignored, decided := l.decide(path, isDir, &m.budget); decided {
				return ignored
			}
		}
		if end == 0 {
			break
		}
		end = strings.LastIndexByte(path[:end-1], '/') + 1
	}
	for i := len(m.exclude) - 1; i >= 0; i-- {
		if ignored, decided := m.exclude[i].decide(path, isDir, &m.budget); decided {
			return ignored
		}
	}
	return false
}
