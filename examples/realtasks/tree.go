package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// buildTree unpacks dsc into dir as a git repository with one commit: the
// project with every patch before the fix, and of the fix only its tests.
func buildTree(ctx context.Context, t task, dsc, dir string) error {
	if _, err := output(ctx, filepath.Dir(dir), "dpkg-source", "--no-copy", "--skip-patches", "-x", dsc, dir); err != nil {
		return fmt.Errorf("unpack %s: %w", t.Package, err)
	}
	if _, err := git(ctx, dir, "init", "--quiet", "--initial-branch=main"); err != nil {
		return fmt.Errorf("make a repository of %s: %w", t.Package, err)
	}
	if err := applySeries(ctx, t, dir); err != nil {
		return err
	}
	// The packaging holds the fix, so the task would be a look-up with it.
	for _, packaging := range []string{"debian", ".pc"} {
		if err := os.RemoveAll(filepath.Join(dir, packaging)); err != nil {
			return fmt.Errorf("remove the packaging of %s: %w", t.Package, err)
		}
	}
	if err := t.checkFragments(dir); err != nil {
		return err
	}
	if _, err := git(ctx, dir, "add", "--all"); err != nil {
		return fmt.Errorf("commit %s: %w", t.Package, err)
	}
	if _, err := git(ctx, dir, "commit", "--quiet", "--message", "Before the fix"); err != nil {
		return fmt.Errorf("commit %s: %w", t.Package, err)
	}
	return nil
}

func applySeries(ctx context.Context, t task, dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, "debian", "patches", "series"))
	if err != nil {
		return fmt.Errorf("read the patches of %s: %w", t.Package, err)
	}
	plan, err := planSeries(string(text), t.Patches)
	if err != nil {
		return fmt.Errorf("%s has moved on: %w; this task needs new turns", t.Package, err)
	}
	for _, p := range plan {
		args := []string{"apply"}
		if p.fix {
			for _, glob := range t.Withhold {
				args = append(args, "--exclude="+glob)
			}
		}
		if _, err := git(ctx, dir, append(args, filepath.Join("debian", "patches", p.name))...); err != nil {
			return fmt.Errorf("apply %s of %s: %w", p.name, t.Package, err)
		}
	}
	return nil
}

// seriesPatch is one entry of a quilt series.
type seriesPatch struct {
	name string
	fix  bool
}

// planSeries returns the patches up to the last one that belongs to the fix.
func planSeries(series string, fix []string) ([]seriesPatch, error) {
	var plan []seriesPatch
	end := 0
	seen := make([]bool, len(fix))
	for line := range strings.Lines(series) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		p := seriesPatch{name: fields[0]}
		for i, glob := range fix {
			ok, err := path.Match(glob, p.name)
			if err != nil {
				return nil, fmt.Errorf("patch pattern %q: %w", glob, err)
			}
			if ok {
				seen[i], p.fix = true, true
			}
		}
		plan = append(plan, p)
		if p.fix {
			end = len(plan)
		}
	}
	for i, ok := range seen {
		if !ok {
			return nil, fmt.Errorf("its patch series has no %s", fix[i])
		}
	}
	return plan[:end], nil
}

// expectedPatch makes the fix by hand in a clone of tree and returns git's
// own diff of it.
func expectedPatch(ctx context.Context, t task, tree, clone string) ([]byte, error) {
	if err := cloneTree(ctx, tree, clone); err != nil {
		return nil, err
	}
	if _, err := output(ctx, clone, "sh", "-eu", t.byHandFile()); err != nil {
		return nil, fmt.Errorf("edit by hand: %w", err)
	}
	if _, err := git(ctx, clone, "add", "--all"); err != nil {
		return nil, fmt.Errorf("edit by hand: %w", err)
	}
	patch, err := git(ctx, clone, "diff", "--cached", "--binary")
	if err != nil {
		return nil, fmt.Errorf("edit by hand: %w", err)
	}
	if len(patch) == 0 {
		return nil, errors.New("edit by hand: nothing changed")
	}
	return patch, nil
}

func cloneTree(ctx context.Context, tree, clone string) error {
	if _, err := git(ctx, filepath.Dir(tree), "clone", "--quiet", tree, clone); err != nil {
		return fmt.Errorf("clone the tree: %w", err)
	}
	return nil
}
