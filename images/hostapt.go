package images

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// hostAptConf is how this host's apt reaches its mirrors: proxies,
// certificates, retries, clock checks. mmdebstrap would ignore it. It is used
// during the bootstrap only and does not stay in the image.
func hostAptConf(ctx context.Context) []byte {
	dump, err := exec.CommandContext(ctx, "apt-config", "dump").Output()
	if err != nil {
		return nil // a host without apt has no settings for it
	}
	return reachSettings(string(dump))
}

func reachSettings(dump string) []byte {
	var conf strings.Builder
	for line := range strings.Lines(dump) {
		for _, prefix := range []string{
			"Acquire::http", "Acquire::Check-", "Acquire::Retries", "Acquire::ForceIPv", "Acquire::Max-FutureTime",
		} {
			if strings.HasPrefix(line, prefix) {
				conf.WriteString(line)
				break
			}
		}
	}
	return []byte(conf.String())
}

// hostSources returns the files in which this host, being of the same Debian
// release, names its mirrors, so that a private mirror is used where there is
// one. Elsewhere there are none, and mmdebstrap's own default applies.
func hostSources(ctx context.Context) []string {
	targets, err := exec.CommandContext(ctx, "apt-get", "indextargets",
		"--format", "$(SOURCESENTRY) $(CODENAME) $(ORIGIN)", "Created-By: Packages").Output()
	if err != nil {
		return nil
	}
	return suiteFiles(string(targets), func(file string) bool {
		raw, err := os.ReadFile(file)
		return err == nil && !urlWithSecret.Match(raw)
	})
}

// urlWithSecret finds a URL with a user name, which must not end up in an image.
var urlWithSecret = regexp.MustCompile(`://[^/\s]*@`)

// suiteFiles picks the usable files that name this suite of Debian (with its
// updates) and nothing else, given lines of "file:number codename origin". It
// picks none if the suite itself would be missing.
func suiteFiles(targets string, usable func(file string) bool) []string {
	wanted := map[string]bool{} // file: nothing speaks against it
	complete := false
	for line := range strings.Lines(targets) {
		fields := strings.SplitN(strings.TrimSpace(line), " ", 3)
		entry := strings.LastIndex(fields[0], ":")
		if len(fields) != 3 || entry < 0 {
			continue
		}
		file, codename, origin := fields[0][:entry], fields[1], fields[2]
		release, _, _ := strings.Cut(codename, "-")
		before, seen := wanted[file]
		wanted[file] = (before || !seen) && release == suite && origin == "Debian" && usable(file)
	}
	for line := range strings.Lines(targets) {
		file, rest, _ := strings.Cut(line, ":")
		fields := strings.Fields(rest)
		complete = complete || wanted[file] && len(fields) > 1 && fields[1] == suite
	}
	if !complete {
		return nil
	}
	maps.DeleteFunc(wanted, func(_ string, ok bool) bool { return !ok })
	return slices.Sorted(maps.Keys(wanted))
}
