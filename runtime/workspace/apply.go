package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// ApplyOptions say how [Apply] goes about it.
type ApplyOptions struct {
	DryRun bool // only check whether the patch fits
}

// ConflictError means that a directory is not any more what a patch was made
// for. Nothing has been changed.
type ConflictError struct {
	Dir    string
	Files  []string // in the order of the patch, relative to Dir
	Detail string   // what git says, a line or more
}

const conflictsShown = 5

func (e *ConflictError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the patch does not fit %s any more, so nothing was changed: ", e.Dir)
	for i, f := range e.Files {
		if i == conflictsShown {
			fmt.Fprintf(&b, " and %d more", len(e.Files)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", f)
	}
	return b.String()
}

// Apply brings the patch in patchFile into dir: all of it or, if it does not
// fit, nothing and a [ConflictError]. An empty patch always fits. It fails with
// a [DirError] if dir is no directory, and with an error that wraps
// [exec.ErrNotFound] if there is no git.
//
// The paths of the patch are those below dir, whatever repository dir is in.
// Bytes come out as the patch has them: neither the configuration of git nor
// .gitattributes have a say. Nothing outside of dir and no repository inside it
// is touched, whatever the patch says. Once writing has begun it goes on to its
// end even if ctx ends.
func Apply(ctx context.Context, dir, patchFile string, opts ApplyOptions) error {
	root, err := openDir(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	patch, err := os.ReadFile(patchFile)
	if err != nil {
		return fmt.Errorf("read the patch: %w", err)
	}
	if len(bytes.TrimSpace(patch)) == 0 {
		return nil
	}
	paths, err := patchPaths(patch)
	if err != nil {
		return fmt.Errorf("read the patch %s: %w", patchFile, err)
	}
	git, err := exec.LookPath("git")
	if err != nil {
		return fmt.Errorf("apply needs git on this machine: %w", err)
	}
	a := applier{git: git, dir: dir, patch: patch}
	if err := a.check(ctx); err != nil || opts.DryRun {
		return err
	}
	saved, err := savePaths(root, paths)
	if err != nil {
		return fmt.Errorf("keep the files as they are: %w", err)
	}
	defer saved.close()
	if stderr, err := a.run(context.WithoutCancel(ctx)); err != nil {
		err = fmt.Errorf("apply the patch: %w: %s", err, firstError(stderr))
		return errors.Join(err, saved.restore())
	}
	return nil
}

// applier runs git with one patch on one directory.
type applier struct {
	git, dir string
	patch    []byte
}

// check asks git whether the whole patch fits.
func (a *applier) check(ctx context.Context) error {
	stderr, err := a.run(ctx, "--check", "--verbose")
	if err == nil {
		return nil
	}
	if ctxErr := ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	files, detail := conflicts(stderr)
	if len(files) == 0 {
		return fmt.Errorf("check the patch: %w: %s", err, firstError(stderr))
	}
	return &ConflictError{Dir: a.dir, Files: files, Detail: detail}
}

// run runs "git apply" as if there were no repository: it then reads no
// repository's configuration, attributes or hooks, keeps to the directory it
// starts in, and takes paths as relative to it.
func (a *applier) run(ctx context.Context, args ...string) (stderr []byte, err error) {
	args = append([]string{
		"-c", "core.attributesFile=" + os.DevNull, "-c", "core.autocrlf=false", "-c", "core.fsmonitor=false",
		"-c", "core.hooksPath=" + os.DevNull, "apply", "--whitespace=nowarn",
	}, args...)
	cmd := exec.CommandContext(ctx, a.git, append(args, "-")...) //nolint:gosec // found by LookPath, fixed arguments
	cmd.Dir = a.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.DevNull, "LC_ALL=C",
		"GIT_DIR=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1",
	}
	cmd.Stdin = bytes.NewReader(a.patch)
	var out bytes.Buffer
	cmd.Stderr = &out
	// A Ctrl-C is for us; git would stop between two files.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = cmd.Run()
	return out.Bytes(), err
}

// conflicts picks the files out of the messages of a check: git announces each
// file that it looks at and then says what is wrong with it.
func conflicts(stderr []byte) (files []string, detail string) {
	var details []string
	current := ""
	for line := range strings.Lines(string(stderr)) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "Checking patch "); ok {
			current = checkedName(strings.TrimSuffix(name, "..."))
			continue
		}
		if !strings.HasPrefix(line, "error: ") {
			continue
		}
		details = append(details, line)
		if current != "" {
			files = append(files, current)
			current = ""
		}
	}
	return files, strings.Join(details, "\n")
}

// checkedName gives the file that git has announced, which for a rename is the
// one that exists.
func checkedName(s string) string {
	if strings.HasPrefix(s, `"`) {
		if name, _, ok := unquote(s); ok {
			return name
		}
	}
	name, _, _ := strings.Cut(s, " => ")
	return name
}

// firstError is the one line of git's messages that tells most.
func firstError(stderr []byte) string {
	for line := range strings.Lines(string(stderr)) {
		for _, prefix := range []string{"error: ", "fatal: "} {
			if msg, ok := strings.CutPrefix(line, prefix); ok {
				return shorten(strings.TrimSpace(msg))
			}
		}
	}
	return shorten(strings.TrimSpace(string(stderr)))
}
