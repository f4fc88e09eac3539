package workspace

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// patchPaths lists the paths that a patch names, each once and sorted. It fails
// for a path that no patch may touch. Git refuses such paths too; this does not
// depend on its version.
func patchPaths(patch []byte) ([]string, error) {
	s := headerScanner{rest: patch, seen: map[string]bool{}}
	for len(s.rest) > 0 {
		if err := s.line(); err != nil {
			return nil, fmt.Errorf("line %d: %w", s.lines, err)
		}
	}
	return sortedKeys(s.seen), nil
}

// headerScanner reads a patch line by line and skips the contents in it, which
// may look like headers.
type headerScanner struct {
	rest  []byte
	lines int
	seen  map[string]bool
}

func (s *headerScanner) next() string {
	line, rest, _ := bytes.Cut(s.rest, []byte{'\n'})
	s.rest = rest
	s.lines++
	return string(line)
}

func (s *headerScanner) line() error {
	line := s.next()
	if strings.HasPrefix(line, "@@ -") {
		return s.hunk(line)
	}
	if names, ok := strings.CutPrefix(line, "diff --git "); ok {
		return s.gitLine(names)
	}
	for _, prefix := range []string{"--- ", "+++ "} {
		if name, ok := strings.CutPrefix(line, prefix); ok {
			return s.addPrefixed(name)
		}
	}
	for _, prefix := range []string{"rename from ", "rename to ", "rename old ", "rename new ", "copy from ", "copy to "} {
		if name, ok := strings.CutPrefix(line, prefix); ok {
			return s.add(bareName(name))
		}
	}
	return nil
}

var hunkLine = regexp.MustCompile(`^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@`)

// hunk skips as many lines as the hunk says to have.
func (s *headerScanner) hunk(line string) error {
	m := hunkLine.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("%.40q is no hunk", line)
	}
	before, after := hunkCount(m[1]), hunkCount(m[2])
	for before > 0 || after > 0 {
		if len(s.rest) == 0 {
			return fmt.Errorf("the patch ends inside a hunk")
		}
		line := s.next()
		switch {
		case line == "" || line[0] == ' ':
			before--
			after--
		case line[0] == '-':
			before--
		case line[0] == '+':
			after--
		case line[0] != '\\':
			return fmt.Errorf("%.40q is no line of a hunk", line)
		}
	}
	return nil
}

func hunkCount(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 1
	}
	return n
}

// gitLine reads the two names behind "diff --git". Where bare names differ the
// line does not tell where one ends; other lines then have to name them.
func (s *headerScanner) gitLine(names string) error {
	first, rest, ok := unquote(names)
	switch {
	case ok:
		return s.addEach(first, bareName(strings.TrimPrefix(rest, " ")))
	case strings.HasSuffix(names, `"`) && strings.Contains(names, ` "`):
		i := strings.Index(names, ` "`)
		return s.addEach(names[:i], bareName(names[i+1:]))
	}
	middle := len(names) / 2
	a, b := names[:middle], names[min(len(names), middle+1):]
	_, x, isA := strings.Cut(a, "/")
	_, y, isB := strings.Cut(b, "/")
	if isA && isB && x == y {
		return s.add(x)
	}
	return nil
}

func (s *headerScanner) addEach(names ...string) error {
	for _, n := range names {
		if err := s.addStripped(n); err != nil {
			return err
		}
	}
	return nil
}

// addPrefixed takes what is behind "---" or "+++".
func (s *headerScanner) addPrefixed(name string) error {
	name = bareName(name)
	if name == "/dev/null" {
		return nil
	}
	return s.addStripped(name)
}

// addStripped takes a name with its "a/" or "b/" in front.
func (s *headerScanner) addStripped(name string) error {
	_, path, ok := strings.Cut(name, "/")
	if !ok {
		return fmt.Errorf("the name %.80q has no prefix", name)
	}
	return s.add(path)
}

func (s *headerScanner) add(path string) error {
	if !validPath(path) || insideGit(path) {
		return fmt.Errorf("%.80q is no path that a patch may touch", path)
	}
	s.seen[path] = true
	return nil
}

// bareName undoes the quotes of a name, or cuts off the tab that ends it.
func bareName(s string) string {
	if name, _, ok := unquote(s); ok {
		return name
	}
	s, _, _ = strings.Cut(s, "\t")
	return s
}

var unescaped = map[byte]byte{
	'a': '\a', 'b': '\b', 't': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r', '"': '"', '\\': '\\',
}

// unquote reads a name in double quotes with C escapes, and gives what follows.
func unquote(s string) (name, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		return "", s, false
	}
	var b []byte
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return string(b), s[i+1:], true
		case '\\':
			i++
			if i+3 <= len(s) && slices.Contains([]byte("0123"), s[i]) {
				v, err := strconv.ParseUint(s[i:i+3], 8, 8)
				if err != nil {
					return "", s, false
				}
				b = append(b, byte(v))
				i += 2
				continue
			}
			if i >= len(s) || unescaped[s[i]] == 0 {
				return "", s, false
			}
			b = append(b, unescaped[s[i]])
		default:
			b = append(b, c)
		}
	}
	return "", s, false
}
