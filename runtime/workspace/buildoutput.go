package workspace

import (
	"path"
	"strings"
)

// buildDirs are directories that only programs write, and write again whenever
// they need them.
var buildDirs = map[string]bool{
	"__pycache__":        true,
	".pytest_cache":      true,
	".mypy_cache":        true,
	".ruff_cache":        true,
	".hypothesis":        true,
	".ipynb_checkpoints": true,
	".tox":               true,
	".nox":               true,
	".venv":              true,
	".eggs":              true,
	".gradle":            true,
	"node_modules":       true,
}

// buildSuffixes end the names of files, or of directories, that only programs
// write.
var buildSuffixes = map[string]bool{
	".pyc":      true,
	".pyo":      true,
	".o":        true,
	".lo":       true,
	".gcda":     true,
	".gcno":     true,
	".egg-info": true,
}

// IsBuildOutput says whether a slash-separated path is, or is in, something that
// building, testing or installing leaves behind and nobody commits: Python's
// caches and compiled files, virtual environments, node_modules, object files.
// The list is short on purpose: names such as "build" or "target" may well be
// source.
func IsBuildOutput(path string) bool { return buildRoot(path) != "" }

// buildRoot gives the outermost part of p that is build output, or "".
func buildRoot(p string) string {
	for end := 0; end < len(p); end++ {
		start := end
		end = len(p)
		if i := strings.IndexByte(p[start:], '/'); i >= 0 {
			end = start + i
		}
		name := p[start:end]
		ext := path.Ext(name)
		if buildDirs[name] || buildSuffixes[ext] && ext != name {
			return p[:end]
		}
	}
	return ""
}
