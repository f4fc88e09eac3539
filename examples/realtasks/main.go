// Command realtasks runs drydock on real bugs of real projects. It fetches the
// projects as Debian source packages, rebuilds the tree as it was before a fix,
// lets recorded turns make the fix in a sandbox, and checks what came out.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options are the command's flags.
type options struct {
	drydock string
	tasks   string
	cache   string
	only    string
	list    bool
	refresh bool
	keep    bool
}

func parseFlags(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("realtasks", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.drydock, "drydock", "bin/drydock", "the drydock `binary` to run")
	flags.StringVar(&o.tasks, "tasks", "examples/realtasks", "`directory` that holds the tasks")
	flags.StringVar(&o.cache, "cache", "", "`directory` for fetched packages (default: realtasks in drydock's user cache)")
	flags.StringVar(&o.only, "only", "", "run only the task of this `name`")
	flags.BoolVar(&o.list, "list", false, "list the tasks and stop")
	flags.BoolVar(&o.refresh, "refresh", false, "fetch the packages again even when they are cached")
	flags.BoolVar(&o.keep, "keep", false, "keep the temporary trees and say where they are")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q: see -help", flags.Arg(0))
	}
	return o, nil
}

// run returns the exit code: 0 when every task passed, 1 when one failed and
// 2 when the command was used wrongly.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parseFlags(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	var tasks []task
	if err == nil {
		tasks, err = loadTasks(o.tasks, o.only)
	}
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "realtasks:", err)
		return 2
	}
	if o.list {
		for _, t := range tasks {
			_, _ = fmt.Fprintf(stdout, "%s\t%s\t%s\n", t.Name, t.Package, t.Summary)
		}
		return 0
	}
	failed, err := runAll(ctx, o, tasks, stdout, stderr)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "realtasks:", err)
		return 1
	}
	if failed > 0 {
		return 1
	}
	return 0
}

func runAll(ctx context.Context, o options, tasks []task, stdout, stderr io.Writer) (failed int, err error) {
	// A bare name would be looked up in PATH, and the children run elsewhere.
	binary, err := filepath.Abs(o.drydock)
	if err != nil {
		return 0, fmt.Errorf("locate drydock: %w", err)
	}
	if _, err := os.Stat(binary); err != nil {
		return 0, fmt.Errorf("no drydock at %s: run `make build` or give --drydock", o.drydock)
	}
	fetcher, err := newFetcher(ctx, o, stderr)
	if err != nil {
		return 0, err
	}
	scratch, err := os.MkdirTemp("", "realtasks-")
	if err != nil {
		return 0, fmt.Errorf("make a scratch directory: %w", err)
	}
	if o.keep {
		_, _ = fmt.Fprintln(stderr, "trees and run directories are kept in", scratch)
	} else {
		defer os.RemoveAll(scratch)
	}
	var results []result
	for _, t := range tasks {
		_, _ = fmt.Fprintf(stderr, "== %s: %s\n", t.Name, t.Summary)
		r := runTask(ctx, t, fetcher, binary, filepath.Join(scratch, t.Name))
		if r.err != nil {
			failed++
			_, _ = fmt.Fprintf(stderr, "%s: FAILED: %v\n", t.Name, r.err)
		}
		results = append(results, r)
		if ctx.Err() != nil {
			break
		}
	}
	return failed, printTable(stdout, results)
}
