package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// fetcher downloads source packages into a cache, with an APT configuration
// of its own: the system's source lists and package lists are only read.
type fetcher struct {
	cache   string
	refresh bool
	log     io.Writer
	// ready holds the suites whose package lists were brought up to date.
	ready map[string]bool
}

func newFetcher(ctx context.Context, o options, log io.Writer) (*fetcher, error) {
	if err := requireTools(ctx, log); err != nil {
		return nil, err
	}
	cache := o.cache
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("find the cache directory: %w: give --cache", err)
		}
		cache = filepath.Join(user, "drydock", "realtasks")
	}
	cache, err := filepath.Abs(cache)
	if err != nil {
		return nil, fmt.Errorf("locate the cache: %w", err)
	}
	return &fetcher{cache: cache, refresh: o.refresh, log: log, ready: map[string]bool{}}, nil
}

// requireTools checks for the programs the tasks need on the host, and
// installs the one that is commonly missing when it may.
func requireTools(ctx context.Context, log io.Writer) error {
	for _, tool := range []string{"apt-get", "git"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%s is not installed: the tasks are Debian source packages kept in git", tool)
		}
	}
	if _, err := exec.LookPath("dpkg-source"); err == nil {
		return nil
	}
	if os.Geteuid() != 0 {
		return errors.New("dpkg-source is not installed: run `apt-get install dpkg-dev` as root")
	}
	_, _ = fmt.Fprintln(log, "installing dpkg-dev, which unpacks Debian source packages")
	if _, err := output(ctx, "/", "apt-get", "-qq", "update"); err != nil {
		return fmt.Errorf("install dpkg-dev: %w", err)
	}
	if _, err := output(ctx, "/", "apt-get", "-qq", "install", "--no-install-recommends", "-y", "dpkg-dev"); err != nil {
		return fmt.Errorf("install dpkg-dev: %w", err)
	}
	return nil
}

// fetch returns the path of the package's .dsc and its version.
func (f *fetcher) fetch(ctx context.Context, pkg, suite string) (dsc, version string, err error) {
	dir := filepath.Join(f.cache, suite, "packages", pkg)
	if dsc := findDSC(dir); dsc != "" && !f.refresh {
		version, err := dscVersion(dsc)
		return dsc, version, err
	}
	config, err := f.prepare(ctx, suite)
	if err != nil {
		return "", "", err
	}
	// A half-made download must never look like a finished one.
	partial := dir + ".partial"
	if err := errors.Join(os.RemoveAll(partial), os.MkdirAll(partial, 0o755)); err != nil {
		return "", "", fmt.Errorf("fetch %s: %w", pkg, err)
	}
	if _, err := output(ctx, partial, "apt-get", "-c", config, "-qq", "source", "--download-only", pkg); err != nil {
		return "", "", fmt.Errorf("fetch source package %s of %s: %w", pkg, suite, err)
	}
	if err := errors.Join(os.RemoveAll(dir), os.Rename(partial, dir)); err != nil {
		return "", "", fmt.Errorf("fetch %s: %w", pkg, err)
	}
	if dsc = findDSC(dir); dsc == "" {
		return "", "", fmt.Errorf("fetch %s: the download has no .dsc file", pkg)
	}
	version, err = dscVersion(dsc)
	return dsc, version, err
}

func findDSC(dir string) string {
	found, err := filepath.Glob(filepath.Join(dir, "*.dsc"))
	if err != nil || len(found) != 1 {
		return ""
	}
	return found[0]
}

func dscVersion(dsc string) (string, error) {
	text, err := os.ReadFile(dsc)
	if err != nil {
		return "", fmt.Errorf("read package version: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		if v, ok := strings.CutPrefix(line, "Version:"); ok {
			return strings.TrimSpace(v), nil
		}
	}
	return "", fmt.Errorf("read package version: no Version in %s", dsc)
}
