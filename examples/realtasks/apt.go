package main

import (
	"fmt"
	"slices"
	"strings"
)

// aptSource is one entry of an APT source list, without its type.
type aptSource struct {
	URIs       []string
	Suites     []string
	Components []string
	// SignedBy is the raw value of Signed-By, which may span lines.
	SignedBy string
}

// parseSources reads a source list in either of APT's formats and returns its
// enabled entries for binary packages.
func parseSources(name, text string) []aptSource {
	if strings.HasSuffix(name, ".sources") {
		return parseDeb822(text)
	}
	return parseOneLine(text)
}

func parseOneLine(text string) []aptSource {
	var out []aptSource
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "deb ")
		if !ok {
			continue
		}
		var s aptSource
		rest = strings.TrimSpace(rest)
		if opts, after, found := strings.Cut(rest, "]"); found && strings.HasPrefix(opts, "[") {
			rest = after
			for _, opt := range strings.Fields(opts[1:]) {
				if v, ok := strings.CutPrefix(opt, "signed-by="); ok {
					s.SignedBy = v
				}
			}
		}
		fields := strings.Fields(rest)
		if len(fields) < 3 {
			continue
		}
		s.URIs, s.Suites, s.Components = fields[:1], fields[1:2], fields[2:]
		out = append(out, s)
	}
	return out
}

func parseDeb822(text string) []aptSource {
	var out []aptSource
	for _, stanza := range splitStanzas(text) {
		fields := parseStanza(stanza)
		if strings.EqualFold(strings.TrimSpace(fields["enabled"]), "no") {
			continue
		}
		if !slices.Contains(strings.Fields(fields["types"]), "deb") {
			continue
		}
		out = append(out, aptSource{
			URIs:       strings.Fields(fields["uris"]),
			Suites:     strings.Fields(fields["suites"]),
			Components: strings.Fields(fields["components"]),
			SignedBy:   fields["signed-by"],
		})
	}
	return out
}

// splitStanzas cuts text at blank lines and drops comment lines.
func splitStanzas(text string) [][]string {
	var out [][]string
	var current []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.TrimSpace(line) == "":
			if current != nil {
				out = append(out, current)
			}
			current = nil
		default:
			current = append(current, line)
		}
	}
	if current != nil {
		out = append(out, current)
	}
	return out
}

func parseStanza(lines []string) map[string]string {
	fields := map[string]string{}
	key := ""
	for _, line := range lines {
		if line[0] == ' ' || line[0] == '\t' {
			fields[key] += "\n" + line
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		key = strings.ToLower(strings.TrimSpace(name))
		fields[key] = strings.TrimSpace(value)
	}
	return fields
}

// sourceStanzas turns the entries for the host's own release into a deb822
// list of source packages of another suite of the same distribution. It
// returns an empty text when no entry belongs to the host's release.
func sourceStanzas(entries []aptSource, hostSuite, suite string) string {
	var b strings.Builder
	for _, e := range entries {
		var suites []string
		for _, s := range e.Suites {
			// Only the archive's own suites: a third party's list may
			// carry the release's name as a part of its own.
			switch suffix := strings.TrimPrefix(s, hostSuite); {
			case !strings.HasPrefix(s, hostSuite):
			case suffix == "", suffix == "-updates", suffix == "-security":
				suites = append(suites, suite+suffix)
			}
		}
		if len(suites) == 0 || !slices.Contains(e.Components, "main") {
			continue
		}
		fmt.Fprintf(&b, "Types: deb-src\nURIs: %s\nSuites: %s\nComponents: main\n",
			strings.Join(e.URIs, " "), strings.Join(suites, " "))
		if e.SignedBy != "" {
			fmt.Fprintf(&b, "Signed-By: %s\n", e.SignedBy)
		}
		b.WriteString("\n")
	}
	return b.String()
}
