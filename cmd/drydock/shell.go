package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sort"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"drydock/cmd/attach"
	"drydock/cmd/config"
	"drydock/runtime"
	"drydock/sandbox/wire"
)

func newShellCmd(streams Streams) *cobra.Command {
	var last bool
	cmd := &cobra.Command{
		Use:   "shell [flags] RUN [-- COMMAND...]",
		Short: "Open a shell in the sandbox of a run that is going on",
		Long: `Open a shell in the live sandbox of a run, beside the agent, as the user that the
agent's programs run as. RUN is a run's id, a unique beginning of it, or the path
of its directory; it is live while 'drydock run' works.

The shell is your own: the agent does not see it, but it sees what you change.
It ends when you leave it, when you detach, and with the run. To detach, type ~.
at the beginning of a line (~~ there types one ~).

With a COMMAND, that is run instead of a shell, through pipes and without a
terminal, and drydock ends with its exit code.

What is printed in the sandbox reaches your terminal, but for what acts on more
than its screen: the clipboard, the title, links, questions that it would answer.`,
		Example: `  drydock shell 20260102-150405
  drydock shell --last
  drydock shell --last -- git diff`,
		Args: func(cmd *cobra.Command, args []string) error {
			return shellArgs(args, cmd.ArgsLenAtDash(), last)
		},
		ValidArgsFunction: completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, command := splitShellArgs(args, cmd.ArgsLenAtDash())
			return openShell(cmd, streams, name, command)
		},
	}
	cmd.Flags().BoolVar(&last, "last", false, "the run that was started last")
	config.AddFlags(cmd.Flags(), "run.runs_dir")
	return cmd
}

// splitShellArgs tells the run from the command behind the dashes.
func splitShellArgs(args []string, dash int) (name string, command []string) {
	if dash < 0 {
		dash = len(args)
	}
	if dash > 0 {
		name = args[0]
	}
	return name, args[dash:]
}

func shellArgs(args []string, dash int, last bool) error {
	before := len(args)
	if dash >= 0 {
		before = dash
	}
	switch {
	case dash >= 0 && dash == len(args):
		return errors.New("there is no command behind --")
	case last && before > 0:
		return fmt.Errorf("name a run or say --last, not both; %q is too much", args[0])
	case before > 1:
		return fmt.Errorf("one run at a time; %q is too much (a command goes behind --)", args[1])
	case !last && (before == 0 || args[0] == ""):
		return errors.New("say which run, by its id or directory, or --last")
	}
	return nil
}

func openShell(cmd *cobra.Command, streams Streams, name string, command []string) error {
	cfg, err := loadConfig(cmd)
	if err != nil {
		return err
	}
	if name == "" {
		if name, err = lastRun(cfg.Run.RunsDir); err != nil {
			return usageError{err}
		}
	}
	run, err := runtime.FindRunDir(cfg.Run.RunsDir, name)
	if errors.Is(err, os.ErrPermission) {
		return fmt.Errorf("run %s: %w", name, attach.ErrNotYours)
	}
	if err != nil {
		return usageError{err}
	}
	if len(command) > 0 {
		err = shellPipes(cmd.Context(), streams, run, command)
	} else {
		err = shellTerminal(cmd.Context(), streams, run)
	}
	var code codeError
	if err != nil && !errors.As(err, &code) && !errors.As(err, new(usageError)) {
		err = fmt.Errorf("run %s: %w", run.ID, err)
	}
	return err
}

// lastRun is the id of the newest run.
func lastRun(root string) (string, error) {
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("list runs: %w", err)
	}
	var ids []string
	for _, e := range entries {
		if _, err := runtime.FindRunDir(root, e.Name()); err == nil && e.IsDir() {
			ids = append(ids, e.Name())
		}
	}
	if len(ids) == 0 {
		return "", fmt.Errorf("there are no runs in %s", root)
	}
	sort.Strings(ids)
	return ids[len(ids)-1], nil
}

// shellPipes runs a command without a terminal.
func shellPipes(ctx context.Context, streams Streams, run runtime.RunDir, command []string) error {
	client, err := attach.Dial(run.Path, wire.AttachRequest{Argv: command})
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	go func() {
		_, _ = io.Copy(inputWriter{client}, streams.In)
		_ = client.Input(nil)
	}()
	return receive(ctx, client, filtered(streams.Out), filtered(streams.Err))
}

// filtered protects a terminal; a file or a pipe gets every byte.
func filtered(w io.Writer) io.Writer {
	if isTerminal(w) {
		return attach.NewFilter(w)
	}
	return w
}

type inputWriter struct{ client *attach.Client }

func (w inputWriter) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	return len(p), w.client.Input(p)
}

// shellTerminal connects a person's terminal.
func shellTerminal(ctx context.Context, streams Streams, run runtime.RunDir) (err error) {
	in, ok := streams.In.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) || !isTerminal(streams.Out) {
		return usageError{errors.New("a shell needs a terminal for its input and output; run a command through pipes with 'drydock shell RUN -- COMMAND'")}
	}
	rows, cols := terminalSize(in)
	client, err := attach.Dial(run.Path, wire.AttachRequest{TTY: true, Rows: rows, Cols: cols, Term: os.Getenv("TERM")})
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	_, _ = fmt.Fprintf(streams.Err, "drydock: in the sandbox of run %s; exit or ~. at the beginning of a line leaves it\n", run.ID)
	old, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return fmt.Errorf("set up the terminal: %w", err)
	}
	screen := attach.NewFilter(streams.Out)
	defer func() {
		_, _ = io.WriteString(streams.Out, screen.Restore())
		_ = term.Restore(int(in.Fd()), old)
		if errors.Is(err, leaving{}) {
			_, _ = fmt.Fprintln(streams.Err, "\ndrydock: detached; the shell was ended")
			err = nil
		}
	}()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := endOnSignals(cancel)
	defer stop()
	go followSize(ctx, in, client)
	go guarded(cancel, func() error { return typeInto(client, in) })
	return receive(ctx, client, screen, screen)
}

// leaving means that the person has detached.
type leaving struct{}

func (leaving) Error() string { return "detached" }

// guarded turns a panic into an error, so that the terminal is put right first.
func guarded(cancel context.CancelCauseFunc, do func() error) {
	defer func() {
		if r := recover(); r != nil {
			cancel(fmt.Errorf("internal error: %v", r))
		}
	}()
	if err := do(); err != nil {
		cancel(err)
	}
}

// endOnSignals ends the shell on what would otherwise end the program and leave
// the terminal as it is.
func endOnSignals(cancel context.CancelCauseFunc) (stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGQUIT)
	done := make(chan struct{})
	go func() {
		select {
		case sig := <-signals:
			cancel(signalError{sig})
		case <-done:
		}
	}()
	return func() { signal.Stop(signals); close(done) }
}

// typeInto sends what is typed until the person detaches.
func typeInto(client *attach.Client, in io.Reader) error {
	var keys attach.Detach
	buf := make([]byte, 4096)
	for {
		n, err := in.Read(buf)
		send, leave := keys.Pass(buf[:n])
		if len(send) > 0 {
			if err := client.Input(send); err != nil {
				return nil // the receiver knows why
			}
		}
		if leave || err != nil {
			return leaving{}
		}
	}
}

// followSize tells the sandbox whenever the terminal's size changes.
func followSize(ctx context.Context, f *os.File, client *attach.Client) {
	changes := make(chan os.Signal, 1)
	signal.Notify(changes, syscall.SIGWINCH)
	defer signal.Stop(changes)
	for {
		select {
		case <-changes:
			_ = client.Resize(terminalSize(f))
		case <-ctx.Done():
			return
		}
	}
}

func terminalSize(f *os.File) (rows, cols int) {
	cols, rows, err := term.GetSize(int(f.Fd()))
	if err != nil || rows < 1 || cols < 1 {
		return 24, 80
	}
	return rows, cols
}

// receive prints until the program ends, and gives its exit code as an error.
func receive(ctx context.Context, client *attach.Client, out, errOut io.Writer) error {
	defer context.AfterFunc(ctx, func() { _ = client.Close() })()
	code, err := client.Receive(out, errOut)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil && code != 0 {
		return codeError(code)
	}
	return err
}
