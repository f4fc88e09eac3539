// Package ignore decides which paths the rules in .gitignore files leave out,
// exactly as git does: nested files, negation, rules for directories only,
// anchored rules, "**", character classes and escapes.
package ignore

import (
	"bytes"
	"strings"
)

// maxRuleLen bounds one rule, in bytes. A longer one could match no path that
// git takes.
const maxRuleLen = 4096

// rule is one line of a file.
type rule struct {
	pattern string // without "!", the leading and the trailing slash
	literal int    // how many leading bytes of pattern match only themselves
	negated bool
	dirOnly bool
	// basename marks a rule without a slash inside: it is for names at any
	// depth. Others are for paths from the directory of the file on.
	basename bool
	rest     glob // what of pattern is not literal
}

// list holds the rules of one file, and the directory they are for.
type list struct {
	base  string // "" or a path with a final slash
	rules []rule
}

// parse reads the content of a file of rules.
func parse(base string, data []byte) list {
	l := list{base: base}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte{'\n'})
		data = rest
		if r, ok := parseRule(string(line)); ok {
			l.rules = append(l.rules, r)
		}
	}
	return l
}

func parseRule(line string) (rule, bool) {
	if line == "" || line[0] == '#' || len(line) > maxRuleLen {
		return rule{}, false
	}
	line = strings.TrimSuffix(line, "\r")
	line, _, _ = strings.Cut(line, "\x00")
	line = trimSpaces(line)
	r := rule{}
	line, r.negated = strings.CutPrefix(line, "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	r.basename = !strings.Contains(line, "/")
	r.pattern = strings.TrimPrefix(line, "/")
	r.literal = len(r.pattern)
	if i := strings.IndexAny(r.pattern, `*?[\`); i >= 0 {
		r.literal = i
		rest := r.pattern
		if !r.basename {
			rest = rest[i:]
		}
		r.rest = compile(rest, !r.basename)
	}
	return r, r.pattern != ""
}

// trimSpaces drops trailing spaces that are not escaped.
func trimSpaces(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = i + 1
	}
	return line[:min(end, len(line))]
}

// match says whether the rule is for path, whose base name is name. The
// directory of the rules has been cut from path.
func (r *rule) match(path, name string, isDir bool, budget *int) bool {
	if r.dirOnly && !isDir {
		return false
	}
	if r.basename {
		if r.literal == len(r.pattern) {
			return r.pattern == name
		}
		return r.rest.match(name, budget)
	}
	if !strings.HasPrefix(path, r.pattern[:r.literal]) {
		return false
	}
	path = path[r.literal:]
	if r.literal == len(r.pattern) {
		return path == ""
	}
	return r.rest.match(path, budget)
}

// decide gives the verdict of the last rule that is for path.
func (l *list) decide(path string, isDir bool, budget *int) (ignored, decided bool) {
	if !strings.HasPrefix(path, l.base) {
		return false, false
	}
	path = path[len(l.base):]
	name := path[strings.LastIndexByte(path, '/')+1:]
	for i := len(l.rules) - 1; i >= 0 && *budget > 0; i-- {
		*budget--
		if r := &l.rules[i]; r.match(path, name, isDir, budget) {
			return !r.negated, true
		}
	}
	return false, false
}
