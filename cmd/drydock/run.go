package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"drydock/agents"
	"drydock/cmd/config"
	"drydock/images"
	"drydock/internal/redact"
	"drydock/runtime"
	"drydock/runtime/llm"
	"drydock/runtime/llm/script"
	"drydock/runtime/workspace"
	"drydock/sandbox"
	"drydock/sandbox/docker"
	"drydock/tools/mcp"
)

// runFlags are the flags of run that are not settings.
type runFlags struct {
	repo     string
	taskFile string
	runDir   string
	artifact []string
	record   string
	mcp      []string // files of MCP servers
	json     bool
	quiet    bool
	dryRun   bool
}

func newRunCmd(streams Streams) *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "run [flags] TASK",
		Short: "Let an agent work on a task in a sandbox",
		Long: `Let an agent work on a task in a sandbox made for it.

The answer goes to standard output, progress to standard error. What the agent
changed is kept as a patch in the run's directory; the directory given with
--repo is never touched until 'drydock apply'. TASK may be - to read it from
standard input.`,
		Example: `  drydock run --repo . "make the failing test pass"
  drydock run --repo . --memory 4g --timeout 20m "port the tests to pytest"
  drydock run --model script:turns.jsonl --repo . "replay recorded turns"`,
		Args: oneTask,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runTask(cmd, streams, flags, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.repo, "repo", "", "`directory` to copy into the sandbox")
	f.StringVar(&flags.taskFile, "task-file", "", "read the task from a `file`")
	f.StringVar(&flags.runDir, "run-dir", "", "keep the run in this `directory`")
	f.StringArrayVar(&flags.artifact, "artifact", nil, "copy a file or directory of the sandbox, a `path` from the workspace on, to the run's directory; may be repeated")
	f.StringVar(&flags.record, "record", "", "write the model's answers to a new `file`, to play them with --model script:FILE or 'drydock replay'")
	addMCPFlag(cmd, &flags.mcp)
	f.BoolVar(&flags.json, "json", false, "print events as JSON lines instead of the answer")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, "no progress")
	f.BoolVar(&flags.dryRun, "dry-run", false, "show the settings, the container, the prompt and the tools, and do nothing")
	config.AddFlags(f)
	completeSettings(cmd)
	return cmd
}

func runTask(cmd *cobra.Command, streams Streams, flags runFlags, args []string) (err error) {
	if flags.dryRun {
		return dryRun(cmd, streams, flags, args)
	}
	job, err := prepare(cmd, streams, flags, args)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, job.endRecording()) }()
	return withEngine(cmd.Context(), func(engine *docker.Engine) error {
		return job.run(cmd.Context(), engine)
	})
}

// job is a run whose settings have all been found right.
type job struct {
	streams Streams
	flags   runFlags
	cfg     config.Config
	preset  agents.Preset
	task    string
	repo    string
	specs   []mcp.Spec
	servers *mcp.Set // of specs

	models       *modelMaker
	model        llm.Model
	modelName    string
	facts        llm.Facts // of the model
	summary      llm.Model // sums up turns that no longer fit; nil to list them
	summaryFacts llm.Facts
	reserve      int // tokens of the longest answer that is asked for, 0 for what is known
	secrets      redact.Secrets
	recording    *script.Recording // nil without --record
	dir          runtime.RunDir    // made when the work begins
	recorder     *runtime.Recorder // made when the run has a directory
	shown        *progress
	imageID      string    // content address of the sandbox's image
	replay       *replayed // nil unless a recorded run is repeated
	failure      error     // that ended the run and has been told
}

// prepare checks everything that can be wrong before the engine is needed.
func prepare(cmd *cobra.Command, streams Streams, flags runFlags, args []string) (*job, error) {
	j, err := prepareInputs(cmd, streams, flags, args)
	if err != nil {
		return nil, err
	}
	knowSecrets(&j.secrets, j.cfg)
	if err := j.chooseModels(cmd.Context()); err != nil {
		return nil, err
	}
	return j, j.record(flags.record)
}

// prepareInputs checks all but what the models are and need, such as a key.
func prepareInputs(cmd *cobra.Command, streams Streams, flags runFlags, args []string) (*job, error) {
	j := &job{streams: streams, flags: flags}
	var err error
	if j.task, err = readTask(streams, flags, args); err != nil {
		return nil, err
	}
	if j.cfg, err = loadConfig(cmd); err != nil {
		return nil, err
	}
	if j.repo, err = checkRepo(flags.repo); err != nil {
		return nil, err
	}
	if err := j.settle(); err != nil {
		return nil, err
	}
	j.specs, err = mcpServers(cmd, streams, j.cfg, flags.mcp)
	if err != nil {
		return nil, err
	}
	if j.servers, err = j.mcpSet(j.specs); err != nil {
		return nil, err
	}
	return j, nil
}

// settle finds the agent and checks what its sandbox is given.
func (j *job) settle() error {
	var err error
	if j.preset, err = loadPreset(j.cfg.Run.Agent, j.cfg.Run.Tools); err != nil {
		return err
	}
	if err := checkArtifacts(j.flags.artifact); err != nil {
		return err
	}
	if j.cfg.Sandbox.Image == "" {
		j.cfg.Sandbox.Image = j.preset.Image
	}
	if err := j.cfg.Sandbox.Validate(); err != nil {
		return usageError{err}
	}
	j.shown = j.progress()
	return checkOutside(j.repo, cmp.Or(j.flags.runDir, j.cfg.Run.RunsDir))
}

// run does the work once there is an engine.
func (j *job) run(ctx context.Context, engine *docker.Engine) error {
	if err := engine.CheckRuntime(ctx, j.cfg.Sandbox); err != nil {
		return err
	}
	image, err := j.ensureImage(ctx, engine)
	if err != nil {
		return err
	}
	j.cfg.Sandbox.Image, j.imageID = image.Reference, image.ID
	dir, err := runtime.CreateRunDir(j.cfg.Run.RunsDir, j.flags.runDir, runtime.NewRunID(time.Now()))
	if err != nil {
		return runDirError(err)
	}
	j.dir = dir
	events, err := dir.CreateEvents()
	if err != nil {
		return err
	}
	defer func() { _ = events.Close() }()
	onEvent, endSweep := j.sweepAtStart(ctx, engine)
	defer endSweep()
	j.recorder = runtime.NewRecorder(dir.ID, j.eventSink(events), j.watch(), onEvent)
	defer j.servers.Close()
	session := agents.Session{
		Client: sandbox.Default(), Engine: engine, Model: j.model, ModelName: j.modelName, Preset: j.preset,
		Facts: j.facts, Reserve: j.reserve, Summary: j.summary, SummaryFacts: j.summaryFacts, NoSummary: j.summary == nil,
		Policy: j.cfg.Sandbox, Budget: j.budget(), Task: j.task, Repo: j.repo, Limits: j.limits(),
		Artifacts: j.flags.artifact, ImageID: j.imageID, Settings: config.Record(j.cfg),
		Dir: dir, Recorder: j.recorder, ExitCode: j.exitCode, Attach: letShellsIn(dir),
		Servers: j.servers,
	}
	if j.replay != nil {
		session.Observe = j.replay.observe
	}
	outcome := session.Run(ctx)
	return j.finish(ctx, dir, outcome)
}

// runDirError blames the command line, unless it is the disk that has no room.
func runDirError(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return err
	}
	return usageError{err}
}

// eventSink is where events go: the run's log, and with --json stdout as well.
func (j *job) eventSink(log io.Writer) io.Writer {
	if j.flags.json {
		return bothWriter{log, j.streams.Out}
	}
	return log
}

// bothWriter writes to each, also when the other one fails: a full disk must not
// keep the end of a run from whoever reads standard output.
type bothWriter [2]io.Writer

func (b bothWriter) Write(p []byte) (int, error) {
	_, err := b[0].Write(p)
	n, err2 := b[1].Write(p)
	return n, errors.Join(err, err2)
}

func (j *job) progress() *progress {
	return &progress{
		out: j.streams.Err, colour: j.streams.colour(os.Getenv), width: j.streams.width(), quiet: j.flags.quiet,
		live: isTerminal(j.streams.Err) && !j.flags.quiet,
	}
}

// watch shows events to a person; a replay's findings go to standard output.
func (j *job) watch() func(runtime.Event) {
	show := j.shown.show
	if j.replay == nil || j.flags.json {
		return show
	}
	return func(e runtime.Event) { show(e); j.replay.show(j.streams.Out, e) }
}

func (j *job) exitCode(ctx context.Context, o runtime.Outcome) int {
	if j.replay != nil {
		return j.replay.exitCode(ctx, o)
	}
	return outcomeCode(ctx, o)
}

// finish prints the answer and turns the outcome into the program's end.
func (j *job) finish(ctx context.Context, dir runtime.RunDir, o runtime.Outcome) error {
	if !j.flags.quiet {
		_, _ = fmt.Fprintf(j.streams.Err, "run directory: %s\n", dir.Path)
	}
	if o.Answer != "" && !j.flags.json && j.replay == nil {
		if _, err := fmt.Fprintln(j.streams.Out, clean(o.Answer)); err != nil {
			return fmt.Errorf("print the answer: %w", err)
		}
	}
	if err := j.recorder.Err(); err != nil {
		return fmt.Errorf("run %s is not fully recorded: %w", dir.ID, err)
	}
	code := j.exitCode(ctx, o)
	if j.failure = o.Err; o.Err != nil {
		_, _ = fmt.Fprintf(j.streams.Err, "drydock: %s\n", withAdvice(o.Err, j.cfg.Sandbox.OnLoss))
	}
	if code != exitDone {
		return codeError(code)
	}
	return nil
}

// limits bound what is copied in.
func (j *job) limits() workspace.Limits {
	return workspace.Limits{
		MaxBytes: j.cfg.Workspace.MaxBytes, MaxFiles: j.cfg.Workspace.MaxFiles,
		Raise: "raise --workspace-limit or --workspace-files, or choose a smaller directory",
	}
}

// ensureImage makes sure that the engine has the image, and shows what it takes.
func (j *job) ensureImage(ctx context.Context, engine *docker.Engine) (docker.Image, error) {
	ref := j.cfg.Sandbox.Image
	show := newImageProgress(j.streams, ref)
	defer show.end()
	step := show.step
	if j.flags.quiet {
		step = func(images.Step) {}
	}
	return images.NewBuilder(engine, engine.Info().Architecture, version).Ensure(ctx, ref, step)
}
