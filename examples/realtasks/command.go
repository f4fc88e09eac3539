package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// output runs a program in dir and returns its standard output. The error of
// a program that failed ends with the last lines it said.
func output(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	return capture(cmd)
}

// git runs git without the user's and the system's configuration, so that a
// patch looks the same on every machine.
func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(withoutGit(os.Environ()),
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_NAME=realtasks", "GIT_AUTHOR_EMAIL=realtasks@localhost",
		"GIT_COMMITTER_NAME=realtasks", "GIT_COMMITTER_EMAIL=realtasks@localhost")
	return capture(cmd)
}

// withoutGit drops what a surrounding git command may have set, such as the
// repository a hook runs in.
func withoutGit(env []string) []string {
	var out []string
	for _, pair := range env {
		if !strings.HasPrefix(pair, "GIT_") {
			out = append(out, pair)
		}
	}
	return out
}

func capture(cmd *exec.Cmd) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if said := lastLines(stderr.String(), 3); said != "" {
			return nil, fmt.Errorf("%s: %w: %s", cmd.Args[0], err, said)
		}
		return nil, fmt.Errorf("%s: %w", cmd.Args[0], err)
	}
	return stdout.Bytes(), nil
}

// lastLines returns up to n lines from the end of text as one line.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], " | ")
}
