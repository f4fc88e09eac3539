package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"drydock/sandbox"
)

// Main runs the program and returns its exit code. Whatever happens, every
// sandbox is closed before it returns.
func Main(args []string, streams Streams) (code int) {
	ctx, stop := signalContext(context.Background(), streams)
	defer stop()
	defer func() {
		if r := recover(); r != nil {
			_, _ = fmt.Fprintf(streams.Err, "drydock: internal error: %s (please report this; DRYDOCK_TRACE=1 shows where)\n", singleLine(fmt.Sprint(r)))
			code = exitFailed
			if os.Getenv("DRYDOCK_TRACE") != "" {
				defer panic(r)
			}
		}
		if err := sandbox.Default().Shutdown(ctx); err != nil {
			_, _ = fmt.Fprintf(streams.Err, "drydock: clean up: %s\n", oneLine(err))
		}
	}()
	root := newRoot(streams)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil && ctx.Err() != nil && errors.Is(err, context.Canceled) {
		err = context.Cause(ctx)
	}
	if text := withAdvice(err, ""); text != "" {
		_, _ = fmt.Fprintf(streams.Err, "drydock: %s\n", text)
	}
	return exitCode(err)
}

// oneLine joins an error of several lines, such as a joined one, and cleans it:
// errors cite the engine, servers, and names of files.
func oneLine(err error) string {
	if err == nil {
		return ""
	}
	lines := strings.FieldsFunc(clean(err.Error()), func(r rune) bool { return r == '\n' })
	return strings.Join(lines, "; ")
}

// signalContext ends on the first SIGINT or SIGTERM, which lets the run keep its
// patch and clean up. A second one ends the program at once: the sandbox goes
// by itself when the stream to it breaks.
func signalContext(parent context.Context, streams Streams) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		select {
		case sig := <-signals:
			what := "stopping"
			if sandbox.Default().Open() > 0 {
				what = "stopping: keeping the patch and removing the sandbox"
			}
			_, _ = fmt.Fprintf(streams.Err, "drydock: %s (again to stop at once)\n", what)
			cancel(signalError{sig})
		case <-done:
			return
		}
		select {
		case sig := <-signals:
			os.Exit(signalCode(sig))
		case <-done:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}

func newRoot(streams Streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "drydock",
		Short: "Run code-writing agents inside containers, and get a patch",
		Long: `drydock runs code-writing agents against code nobody has to trust.

The agent loop and the model key stay on this machine. Everything the model asks
for (shell, Python, file edits) happens inside one container made for that run,
with limits, without network, and gone at the end. What comes out is a patch.`,
		Example: `  drydock run --repo . "make the failing test pass"
  drydock apply --dry-run 20260102
  drydock doctor`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       readBuildInfo().String(),
		Args:          noArgs,
	}
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelpCmd())
	usage := root.UsageFunc()
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		explain(cmd)
		return usage(cmd)
	})
	root.SetVersionTemplate("{{.Version}}\n")
	root.AddCommand(
		newRunCmd(streams), newReplayCmd(streams), newApplyCmd(streams), newShellCmd(streams), newMCPCmd(streams), newImagesCmd(streams),
		newGCCmd(streams), newConfigCmd(streams),
		newDoctorCmd(streams), newVersionCmd(streams), newExitCodesTopic(),
	)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	forEachCommand(root, finish)
	return root
}

// finish makes the mistakes in a command's arguments usage errors. A command that
// only holds others shows its help.
func finish(cmd *cobra.Command) {
	if cmd.HasSubCommands() && cmd.RunE == nil {
		cmd.Args, cmd.RunE = noArgs, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	if cmd.HasParent() && cmd.Parent().Name() == "completion" {
		cmd.Args = noArgs
	}
	cmd.Args = usageArgs(cmd.Args)
}

func forEachCommand(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, sub := range cmd.Commands() {
		forEachCommand(sub, do)
	}
}
