// Package guestbin carries the guest's binary for each architecture an engine
// may have.
package guestbin

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"drydock/internal/scratch"
)

// The binaries are put into bin by the build and are not under version control.
//
//go:embed all:bin
var bin embed.FS

// Binary returns the guest for an architecture in Go's terms (amd64, arm64). A
// drydock that was built without its guests makes one from the sources around
// it, as it is in a test run; where there are none, the error says how to build.
func Binary(ctx context.Context, arch string) ([]byte, error) {
	if arch != "amd64" && arch != "arm64" {
		return nil, fmt.Errorf("the engine runs on %s, and drydock has guests for amd64 and arm64 only", arch)
	}
	data, err := bin.ReadFile("bin/guest-linux-" + arch)
	if err == nil {
		return data, nil
	}
	return compile(ctx, arch)
}

// compile builds the guest with the Go toolchain, which caches the work.
func compile(ctx context.Context, arch string) ([]byte, error) {
	dir, err := scratch.Create("guest")
	if err != nil {
		return nil, fmt.Errorf("build the guest: %w", err)
	}
	defer func() { _ = dir.Remove() }()
	out := filepath.Join(dir.Path, "guest")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, "drydock/cmd/drydock-guest")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
	if msg, err := cmd.CombinedOutput(); err != nil {
		return nil, errors.New("this drydock was built without its guest: build it with make build (" + firstLine(string(msg), err) + ")")
	}
	return os.ReadFile(out)
}

func firstLine(msg string, err error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(msg), "\n")
	if line == "" {
		return err.Error()
	}
	return line
}
