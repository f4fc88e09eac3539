package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"drydock/agents"
	"drydock/cmd/config"
	"drydock/runtime"
	"drydock/sandbox"
	"drydock/sandbox/docker"
	"drydock/tools/mcp/serve"
)

// servedTools are the tools that clients get, beside patch and reset.
var servedTools = []string{"bash", "python_execute", "str_replace_editor", "terminal"}

// serveFlags are the flags of mcp serve that are not settings.
type serveFlags struct {
	repo      string
	http      string
	tokenFile string
	idle      time.Duration
}

func newMCPServeCmd(streams Streams) *cobra.Command {
	var flags serveFlags
	cmd := &cobra.Command{
		Use: "serve [flags]", Short: "Give other agents a sandbox, as an MCP server", Args: noArgs,
		Long: `Be an MCP server: any client gets bash, Python, an editor and terminals in a
sandbox of its own, and the tools patch and reset.

The sandbox is made with the first call of a client and removed when the client
goes. What it changed is kept as a run, for 'drydock apply'. The directory given
with --repo is never touched.

Standard input and output carry the protocol. With --http, clients of this
machine are served at http://ADDRESS/mcp, who have the token.`,
		Example: `  claude mcp add drydock -- drydock mcp serve --repo .
  drydock mcp serve --repo ~/project --level strict
  drydock mcp serve --http 127.0.0.1:8765 --token-file ~/.config/drydock/mcp-token`,
		RunE: func(cmd *cobra.Command, _ []string) error { return serveMCP(cmd, streams, flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.repo, "repo", "", "`directory` to copy into the sandbox")
	f.StringVar(&flags.http, "http", "", "serve over HTTP on this `address` of this machine, such as 127.0.0.1:8765")
	f.StringVar(&flags.tokenFile, "token-file", "", "`file` that holds the token for --http; without it one is made up and printed")
	f.DurationVar(&flags.idle, "idle", time.Hour, "with --http: end the session of a client that says nothing for so long")
	config.AddFlags(f, append(sandboxKeys(), "run.runs_dir")...)
	return cmd
}

func serveMCP(cmd *cobra.Command, streams Streams, flags serveFlags) error {
	j := &job{streams: streams}
	var err error
	if j.cfg, err = loadConfig(cmd); err != nil {
		return err
	}
	if j.repo, err = checkRepo(flags.repo); err != nil {
		return err
	}
	if err := checkOutside(j.repo, j.cfg.Run.RunsDir); err != nil {
		return err
	}
	if flags.http == "" && flags.tokenFile != "" {
		return usageError{errors.New("--token-file goes with --http")}
	}
	if flags.idle < time.Second {
		return usageError{fmt.Errorf("--idle is %s; give at least 1s", flags.idle)}
	}
	token, err := serveToken(flags)
	if err != nil {
		return usageError{fmt.Errorf("--token-file: %w", err)}
	}
	// A client that goes closes its ends of all pipes, standard error's too; what
	// it worked at is put in order all the same.
	signal.Ignore(syscall.SIGPIPE)
	return withEngine(cmd.Context(), func(engine *docker.Engine) error {
		return newService(j, engine).serve(cmd.Context(), flags, token)
	})
}

// minToken is the shortest token that is not easily guessed, in characters.
const minToken = 16

func serveToken(flags serveFlags) (string, error) {
	if flags.tokenFile == "" {
		return rand.Text(), nil
	}
	raw, err := os.ReadFile(flags.tokenFile)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(raw))
	if len(token) < minToken || strings.ContainsAny(token, " \n\r\t") {
		return "", fmt.Errorf("%s must hold one word of at least %d characters", flags.tokenFile, minToken)
	}
	return token, nil
}

// service makes sandboxes for clients.
type service struct {
	job    *job
	engine *docker.Engine
	policy sandbox.Policy // as it is before its image is there

	mu    sync.Mutex // guards the making of the image
	ready bool
}

func newService(j *job, engine *docker.Engine) *service {
	return &service{job: j, engine: engine, policy: j.cfg.Sandbox}
}

func (s *service) serve(ctx context.Context, flags serveFlags, token string) error {
	server := &serve.Server{Version: version, New: s.bench, Failed: func(err error) { s.say("%s", oneLine(err)) }}
	// An image can take minutes, which no client would wait for at its first call.
	go func() {
		s.sweep(ctx)
		if err := s.prepare(ctx); err != nil && ctx.Err() == nil {
			s.say("%s", oneLine(err))
		}
	}()
	if flags.http == "" {
		return server.Stdio(ctx, s.job.streams.In, s.job.streams.Out)
	}
	l, err := serve.Listen(flags.http)
	if err != nil {
		return usageError{fmt.Errorf("--http: %w", err)}
	}
	s.say("serving MCP at http://%s%s", l.Addr(), serve.Path)
	if flags.tokenFile == "" {
		s.say("clients send the header Authorization: Bearer %s", token)
	}
	return server.HTTP(ctx, l, token, flags.idle)
}

func (s *service) say(format string, args ...any) {
	_, _ = fmt.Fprintf(s.job.streams.Err, "drydock: "+format+"\n", args...)
}

// sweep removes what killed runs left, as every run does at its start.
func (s *service) sweep(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, sweepLimit)
	defer cancel()
	if _, err := s.engine.Sweep(ctx, docker.SweepOptions{Quick: true}); err != nil && ctx.Err() == nil {
		s.say("remove what killed runs left: %s", oneLine(err))
	}
}

// prepare makes sure that the image is there.
func (s *service) prepare(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready {
		return nil
	}
	err := s.job.furnish(ctx, s.engine)
	s.ready = err == nil
	return err
}

// bench is what a client works with.
func (s *service) bench(about func() string) (serve.Workbench, error) {
	return agents.NewHands(servedTools, s.policy, func(ctx context.Context) (*agents.Session, func(), error) {
		return s.open(ctx, about())
	})
}

// open begins a client's session: a run of its own, kept like any other.
func (s *service) open(ctx context.Context, client string) (*agents.Session, func(), error) {
	if err := s.prepare(ctx); err != nil {
		return nil, nil, err
	}
	dir, err := runtime.CreateRunDir(s.job.cfg.Run.RunsDir, "", runtime.NewRunID(time.Now()))
	if err != nil {
		return nil, nil, err
	}
	events, err := dir.CreateEvents()
	if err != nil {
		return nil, nil, err
	}
	s.say("session of %s: run directory: %s", oneLineOf(client), dir.Path)
	return &agents.Session{
		Client: sandbox.Default(), Engine: s.engine, Preset: agents.Preset{Name: "mcp", Tools: servedTools},
		Policy: s.job.cfg.Sandbox, Task: "MCP session of " + client, Repo: s.job.repo, Limits: s.job.limits(),
		Dir: dir, Recorder: runtime.NewRecorder(dir.ID, events, s.note), ExitCode: outcomeCode, Attach: letShellsIn(dir),
	}, func() { _ = events.Close() }, nil
}

// note shows what a person should know of a session.
func (s *service) note(e runtime.Event) {
	switch data := e.Data.(type) {
	case runtime.Warning:
		s.say("warning: %s", oneLineOf(data.Text))
	case runtime.RunEnded:
		s.say("session %s has ended: %s", e.RunID, data.Reason)
	}
}
