package guest

import (
	"os"
	"path/filepath"
	"strings"
)

// terminalEnv is the environment of what runs on a terminal: the tool user's, a
// kind of terminal that the image knows, and what the request adds.
func terminalEnv(mark, term string, more map[string]string) []string {
	var env []string
	for _, kv := range os.Environ() {
		switch name, _, _ := strings.Cut(kv, "="); name {
		case "TERM", "LINES", "COLUMNS", "GOGC", markName:
		default:
			env = append(env, kv)
		}
	}
	env = append(env, "TERM="+knownTerm(term), markName+"="+mark)
	for k, v := range more {
		if k != "" && !strings.ContainsAny(k, "=\x00") && !strings.Contains(v, "\x00") && k != markName {
			env = append(env, k+"="+v)
		}
	}
	return env
}

const usualTerm = "xterm-256color"

// knownTerm is the first kind of terminal that the image has a description of.
func knownTerm(want string) string {
	for _, name := range []string{want, usualTerm, "xterm", "vt220", "vt100"} {
		if name == "" || len(name) > 64 || strings.ContainsAny(name, "/\x00") || name[0] == '.' {
			continue
		}
		for _, dir := range []string{"/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo", "/usr/lib/terminfo"} {
			if _, err := os.Stat(filepath.Join(dir, name[:1], name)); err == nil {
				return name
			}
		}
	}
	return usualTerm
}
