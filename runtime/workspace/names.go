package workspace

import (
	"regexp"
	"strings"
)

// Bounds of what Linux takes.
const (
	maxNameLen   = 255
	maxTargetLen = 4095
)

// validPath says whether path can be that of an entry below a directory: clean,
// relative, and leading nowhere but down.
func validPath(path string) bool {
	if path == "" || len(path) > maxPathLen || strings.IndexByte(path, 0) >= 0 {
		return false
	}
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." || name == ".." || len(name) > maxNameLen {
			return false
		}
	}
	return true
}

func validTarget(target string) bool {
	return target != "" && len(target) <= maxTargetLen && strings.IndexByte(target, 0) < 0
}

// insideGit says whether path is or is in a directory that git, on whatever
// file system, may take for its own. It covers all that git refuses itself.
func insideGit(path string) bool {
	return anyName(path, func(name string) bool { return name == ".git" || name == "git~1" })
}

// gitmodulesShort are the short names that Windows may give ".gitmodules". The
// second kind has eight characters.
var gitmodulesShort = regexp.MustCompile(`^(?:gitmod~[1-4]|((?:|g|gi|gi7|gi7e|gi7eb|gi7eba)~[1-9][0-9]*))$`)

// leadsToGitmodules says whether a symlink at path would stand for
// ".gitmodules" on some file system. Git refuses such a symlink.
func leadsToGitmodules(path string) bool {
	name := foldName(path[strings.LastIndexAny(path, `/\`)+1:])
	m := gitmodulesShort.FindStringSubmatch(name)
	return name == ".gitmodules" || m != nil && (m[1] == "" || len(m[1]) == len("gi7eba~1"))
}

// anyName asks for each name in path, in the form that all spellings of it have
// in common. A backslash separates names as well, as it does on Windows.
func anyName(path string, is func(string) bool) bool {
	isSeparator := func(r rune) bool { return r == '/' || r == '\\' }
	for name := range strings.FieldsFuncSeq(path, isSeparator) {
		if is(foldName(name)) {
			return true
		}
	}
	return false
}

// hfsIgnored are the characters that do not count in a name on HFS+.
var hfsIgnored = strings.NewReplacer(
	"\u200c", "", "\u200d", "", "\u200e", "", "\u200f", "",
	"\u202a", "", "\u202b", "", "\u202c", "", "\u202d", "", "\u202e", "",
	"\u206a", "", "\u206b", "", "\u206c", "", "\u206d", "", "\u206e", "", "\u206f", "",
	"\ufeff", "",
)

// foldName brings a name into the form that file systems which ignore case,
// some characters, final dots and spaces, or a stream name compare it in.
func foldName(name string) string {
	name = hfsIgnored.Replace(name)
	name, _, _ = strings.Cut(name, ":")
	return strings.ToLower(strings.TrimRight(name, ". "))
}

// insidePlainGit says whether path is or is in a directory named ".git" to the
// letter.
func insidePlainGit(path string) bool {
	for name := range strings.SplitSeq(path, "/") {
		if name == ".git" {
			return true
		}
	}
	return false
}
