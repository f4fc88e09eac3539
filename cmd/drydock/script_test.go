package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptCommands are the commands that scripts have beyond the usual ones.
var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"exits":       exits,
	"mistake":     mistake,
	"lastline":    lastLine,
	"jsonlines":   jsonLines,
	"bigfile":     bigFile,
	"oldengine":   oldEngine,
	"smalldisk":   smallDisk,
	"orphan":      orphan,
	"nocontainer": noContainer,
}

func scriptCondition(name string) (bool, error) {
	if name == "root" {
		return os.Geteuid() == 0, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

// exits CODE COMMAND... runs a command that must exit with the code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, not %d", got, want)
	}
}

// mistake CODE REGEXP COMMAND... runs a command that must exit with the code,
// print nothing, and say what is wrong in one line that matches.
func mistake(ts *testscript.TestScript, _ bool, args []string) {
	exits(ts, false, append([]string{args[0]}, args[2:]...))
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("there is something on stdout: %q", out)
	}
	line := ts.ReadFile("stderr")
	if !strings.HasPrefix(line, "drydock: ") || strings.Count(line, "\n") != 1 {
		ts.Fatalf("stderr is not one line: %q", line)
	}
	if !regexp.MustCompile("(?m)" + args[1]).MatchString(line) {
		ts.Fatalf("%q does not match %q", line, args[1])
	}
}

// lastline REGEXP FILE matches the last line of a file.
func lastLine(ts *testscript.TestScript, _ bool, args []string) {
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile(args[1]), "\n"), "\n")
	if last := lines[len(lines)-1]; !regexp.MustCompile(args[0]).MatchString(last) {
		ts.Fatalf("the last line does not match: %s", last)
	}
}

// jsonlines FILE checks that each line is a JSON object.
func jsonLines(ts *testscript.TestScript, _ bool, args []string) {
	for line := range bytes.Lines([]byte(ts.ReadFile(args[0]))) {
		var object map[string]any
		if err := json.Unmarshal(line, &object); err != nil {
			ts.Fatalf("%v: %s", err, line)
		}
	}
}

// bigfile FILE SIZE writes a file of so many bytes.
func bigFile(ts *testscript.TestScript, _ bool, args []string) {
	size, err := strconv.Atoi(args[1])
	ts.Check(err)
	name := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o700))
	ts.Check(os.WriteFile(name, bytes.Repeat([]byte("x"), size), 0o600))
}

// oldengine VERSION sets DOCKER_HOST to an engine that speaks that API only.
func oldEngine(ts *testscript.TestScript, _ bool, args []string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Api-Version", args[0])
		_, _ = w.Write([]byte("OK"))
	}))
	ts.Defer(server.Close)
	ts.Setenv("DOCKER_HOST", "tcp://"+server.Listener.Addr().String())
}

// smalldisk DIR SIZE mounts a file system in memory; a machine that does not let
// root mount one skips the script.
func smallDisk(ts *testscript.TestScript, _ bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o700))
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+args[1]); err != nil {
		ts.Fatalf("mount: %v", err)
	}
	ts.Defer(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
}
