package config

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"drydock/sandbox"
)

// path expands ~ and puts a relative path where its layer stands.
func (in input) path(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok && in.home != "" {
		return filepath.Join(in.home, rest)
	}
	if in.dir == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(in.dir, name)
}

// absolute is path, from the root on.
func (in input) absolute(name string) (string, error) {
	abs, err := filepath.Abs(in.path(name))
	if err != nil {
		return "", fmt.Errorf("%q cannot be made an absolute path: %w", name, err)
	}
	return abs, nil
}

// file is the path of a file or directory, which need not exist yet.
func file() kind[string] {
	return kind[string]{name: "path", show: same, parse: func(in input, _ string) (string, error) {
		if in.text() == "" {
			return "", errors.New("the path is empty")
		}
		return in.absolute(in.text())
	}}
}

// mounts add up over the layers; a stronger one wins where targets are equal.
func mounts() kind[[]sandbox.Mount] {
	return kind[[]sandbox.Mount]{name: "src:dst[:rw]", shape: list, show: mountsText, parse: func(in input, old []sandbox.Mount) ([]sandbox.Mount, error) {
		seen := map[string]bool{}
		var added []sandbox.Mount
		for _, word := range in.words {
			m, err := parseMount(in, word)
			if err != nil {
				return nil, err
			}
			if seen[m.Target] {
				return nil, fmt.Errorf("%s is the target of two mounts", m.Target)
			}
			seen[m.Target] = true
			added = append(added, m)
		}
		var all []sandbox.Mount
		for _, m := range old {
			if !seen[m.Target] {
				all = append(all, m)
			}
		}
		return append(all, added...), nil
	}}
}

func parseMount(in input, word string) (sandbox.Mount, error) {
	parts := strings.Split(word, ":")
	if len(parts) == 2 {
		parts = append(parts, "ro")
	}
	if len(parts) != 3 || parts[0] == "" || (parts[2] != "ro" && parts[2] != "rw") {
		return sandbox.Mount{}, fmt.Errorf("%q is not a mount; write SRC:DST or SRC:DST:rw", word)
	}
	m := sandbox.Mount{Target: path.Clean(parts[1]), Writable: parts[2] == "rw"}
	if !path.IsAbs(m.Target) || m.Target == "/" {
		return m, fmt.Errorf("mount target %q must be an absolute path below /", parts[1])
	}
	if why := reserved(m.Target); why != "" {
		return m, fmt.Errorf("mount target %s is not free: %s", m.Target, why)
	}
	var err error
	if m.Source, err = in.absolute(parts[0]); err != nil {
		return m, err
	}
	info, err := os.Stat(m.Source)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return m, fmt.Errorf("mount source %s does not exist", m.Source)
	case err != nil:
		return m, fmt.Errorf("mount source %s cannot be used: %w", m.Source, err)
	case !info.IsDir() && !info.Mode().IsRegular():
		// An engine's socket above all would hand over the whole machine.
		return m, fmt.Errorf("mount source %s is neither a directory nor a regular file", m.Source)
	}
	return m, nil
}

// reserved says why nothing can be mounted on a path. Engines would refuse some
// of these too, but in words that help nobody.
func reserved(target string) string {
	if target == sandbox.DefaultPolicy().Workdir {
		return "the workspace is there; mount below it or elsewhere"
	}
	for _, system := range []string{"/proc", "/sys", "/dev", "/.drydock"} {
		if target == system || strings.HasPrefix(target, system+"/") {
			return "it belongs to the system of the sandbox"
		}
	}
	return ""
}

func mountsText(all []sandbox.Mount) string {
	var words []string
	for _, m := range all {
		word := m.Source + ":" + m.Target
		if m.Writable {
			word += ":rw"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// variables add up over the layers; a stronger one wins where names are equal.
func variables() kind[map[string]string] {
	return kind[map[string]string]{name: "name=value", shape: table, show: variablesText, parse: func(in input, old map[string]string) (map[string]string, error) {
		all := map[string]string{}
		for name, value := range old {
			all[name] = value
		}
		for _, word := range in.words {
			name, value, ok := strings.Cut(word, "=")
			// The value is not shown: it may be a password. A word without
			// a = may be nothing but one.
			if !ok {
				return nil, errors.New("there is no = in it; write NAME=VALUE")
			}
			if !isVariable(name) {
				return nil, fmt.Errorf("%q is not a variable's name; write NAME=VALUE with letters, digits and _ in the name", name)
			}
			if strings.ContainsRune(value, 0) {
				return nil, fmt.Errorf("the value of %s contains a NUL byte", name)
			}
			all[name] = value
		}
		return all, nil
	}}
}

func isVariable(name string) bool {
	for i, r := range name {
		letter := r == '_' || (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z')
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

func variablesText(all map[string]string) string {
	words := make([]string, 0, len(all))
	for name, value := range all {
		words = append(words, name+"="+value)
	}
	sort.Strings(words)
	return strings.Join(words, ", ")
}
