package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// prepare writes the private APT configuration for suite, updates its package
// lists once per run and returns the configuration's path.
func (f *fetcher) prepare(ctx context.Context, suite string) (string, error) {
	dir := filepath.Join(f.cache, suite, "apt")
	config := filepath.Join(dir, "apt.conf")
	if f.ready[suite] {
		return config, nil
	}
	stanzas, err := hostSourceStanzas("/etc", suite)
	if err != nil {
		return "", err
	}
	files := map[string]string{
		config: aptConfig(dir),
		filepath.Join(dir, "sources.list.d", "source.sources"): stanzas,
	}
	for _, sub := range []string{"sources.list.d", "lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return "", fmt.Errorf("prepare apt: %w", err)
		}
	}
	for path, text := range files {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return "", fmt.Errorf("prepare apt: %w", err)
		}
	}
	_, _ = fmt.Fprintf(f.log, "updating the list of source packages of %s (in %s)\n", suite, dir)
	if _, err := output(ctx, dir, "apt-get", "-c", config, "-qq", "update"); err != nil {
		return "", fmt.Errorf("update the list of source packages of %s: %w", suite, err)
	}
	f.ready[suite] = true
	return config, nil
}

// aptConfig keeps everything APT writes below dir, and drops the hooks with
// which a system ties its own state to an update.
func aptConfig(dir string) string {
	config := fmt.Sprintf(`Dir::Etc::SourceList "/dev/null";
Dir::Etc::SourceParts "%[1]s/sources.list.d";
Dir::State::Lists "%[1]s/lists";
Dir::Cache "%[1]s/cache";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
`, dir)
	if os.Geteuid() == 0 {
		// APT's own user cannot write to a cache in root's home.
		config += "APT::Sandbox::User \"root\";\n"
	}
	return config
}

// hostSourceStanzas derives a list of source packages from the mirrors that
// the host itself is configured with in etc.
func hostSourceStanzas(etc, suite string) (string, error) {
	release, err := os.ReadFile(filepath.Join(etc, "os-release"))
	if err != nil {
		return "", fmt.Errorf("find the host's release: %w", err)
	}
	id, codename := osRelease(string(release))
	if id != "debian" || codename == "" {
		return "", fmt.Errorf("the tasks need a Debian host for its package mirrors: this one is %q", id)
	}
	var entries []aptSource
	for _, pattern := range []string{"apt/sources.list", "apt/sources.list.d/*.list", "apt/sources.list.d/*.sources"} {
		files, err := filepath.Glob(filepath.Join(etc, pattern))
		if err != nil {
			return "", fmt.Errorf("find the host's package mirrors: %w", err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return "", fmt.Errorf("read the host's package mirrors: %w", err)
			}
			entries = append(entries, parseSources(file, string(text))...)
		}
	}
	stanzas := sourceStanzas(entries, codename, suite)
	if stanzas == "" {
		return "", fmt.Errorf("no package mirror for %s in %s/apt: add one to the host's APT sources", codename, etc)
	}
	return stanzas, nil
}

func osRelease(text string) (id, codename string) {
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		value = strings.Trim(value, `"'`)
		switch key {
		case "ID":
			id = value
		case "VERSION_CODENAME":
			codename = value
		}
	}
	return id, codename
}
