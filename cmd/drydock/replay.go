package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"regexp"
	"syscall"

	"github.com/spf13/cobra"

	"drydock/cmd/config"
	"drydock/runtime"
	"drydock/runtime/replay"
	"drydock/sandbox/docker"
)

// replayFlags are the flags of replay that are not settings.
type replayFlags struct {
	repo   string
	runDir string
	ignore []string
	json   bool
	quiet  bool
}

func newReplayCmd(streams Streams) *cobra.Command {
	var flags replayFlags
	cmd := &cobra.Command{
		Use:   "replay [flags] RUN|FILE",
		Short: "Repeat a recorded run in a fresh sandbox and show what differs",
		Long: `Let the recorded answers of a run's model drive a fresh sandbox, without a key,
and show where what came of a call is not what came of it then.

RUN is a run's id, a unique beginning of it, or the path of its directory; task,
agent, image, limits and --repo are the run's own unless flags say otherwise. FILE
is the event log of a run, or what 'drydock run --record' wrote, which knows the
task but no settings.

Differences and a summary go to standard output, progress to standard error. The
exit code is 0 where nothing differs and 1 where something does.`,
		Example: `  drydock replay 20260102
  drydock replay --ignore '[0-9.]+s' --image drydock/base:next 20260102
  drydock replay --repo . turns.jsonl`,
		Args:              oneRun,
		ValidArgsFunction: completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			job, err := prepareReplay(cmd, streams, flags, args[0])
			if err != nil {
				return err
			}
			return withEngine(cmd.Context(), func(engine *docker.Engine) error {
				return job.run(cmd.Context(), engine)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.repo, "repo", "", "`directory` to copy into the sandbox (default: the run's)")
	f.StringVar(&flags.runDir, "run-dir", "", "keep the replay in this `directory`")
	f.StringArrayVar(&flags.ignore, "ignore", nil, "what this `regexp` matches in an output makes no difference; may be repeated")
	f.BoolVar(&flags.json, "json", false, "print events as JSON lines instead of the differences")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, "no progress")
	config.AddFlags(f, replaySettings()...)
	completeSettings(cmd)
	return cmd
}

// replaySettings are the settings that a replay has: no model is asked.
func replaySettings() []string {
	var keys []string
	for _, s := range config.Settings() {
		if !s.OfModel() {
			keys = append(keys, s.Key())
		}
	}
	return keys
}

// prepareReplay checks everything that can be wrong before the engine is needed.
func prepareReplay(cmd *cobra.Command, streams Streams, flags replayFlags, name string) (*job, error) {
	ignore, err := compileAll(flags.ignore)
	if err != nil {
		return nil, err
	}
	cfg, err := loadConfig(cmd)
	if err != nil {
		return nil, err
	}
	run, dir, err := replay.Find(cfg.Run.RunsDir, name)
	if err != nil {
		return nil, usageError{err}
	}
	recorded := recordedSettings(run)
	j := &job{
		streams: streams, flags: runFlags{runDir: flags.runDir, json: flags.json, quiet: flags.quiet},
		task: run.Task, model: run.Model(),
	}
	if j.cfg, _, err = loadRecorded(cmd, recorded); err != nil {
		return nil, err
	}
	j.modelName = "replay:" + run.Name
	j.replay = newReplayed(run, j.cfg, recorded, ignore)
	if j.repo, err = replayRepo(run, dir, flags.repo, cmd.Flags().Changed("repo")); err != nil {
		return nil, err
	}
	return j, j.settle()
}

func compileAll(expressions []string) ([]*regexp.Regexp, error) {
	var all []*regexp.Regexp
	for _, text := range expressions {
		re, err := regexp.Compile(text)
		if err != nil {
			return nil, usageError{fmt.Errorf("--ignore: %w", err)}
		}
		if re.MatchString("") {
			return nil, usageError{fmt.Errorf("--ignore: %q matches what is empty, which is everywhere", text)}
		}
		all = append(all, re)
	}
	return all, nil
}

// recordedSettings are those of the run; older records have a few of them.
func recordedSettings(run *replay.Run) map[string]string {
	switch {
	case run.Started == nil:
		return nil
	case run.Started.Settings != nil:
		return run.Started.Settings
	}
	return map[string]string{"run.agent": run.Started.Agent, "sandbox.image": run.Started.Image}
}

// replayRepo is the directory to copy in: the one asked for, or the run's own. A
// record that came from elsewhere must not choose among the person's directories.
func replayRepo(run *replay.Run, dir, asked string, given bool) (string, error) {
	if given || run.Started == nil || run.Started.Repo == "" {
		return checkRepo(asked)
	}
	was := run.Started.Repo
	if dir == "" || !mine(cmp.Or(dir, ".")) {
		return "", usageError{fmt.Errorf("the run had --repo %s; name the directory to copy in with --repo, or none with --repo ''", was)}
	}
	if _, err := os.Stat(was); errors.Is(err, os.ErrNotExist) {
		return "", usageError{fmt.Errorf("the run's --repo %s is not there any more; name the directory with --repo", was)}
	}
	return checkRepo(was)
}

// mine says whether a directory belongs to the user.
func mine(dir string) bool {
	st, err := os.Stat(dir)
	if err != nil {
		return false
	}
	owner, ok := st.Sys().(*syscall.Stat_t)
	return ok && int(owner.Uid) == os.Geteuid()
}

// replayedEnd says whether the end of a replay says something of its own: it was
// stopped, or something failed.
func replayedEnd(o runtime.Outcome) bool {
	return o.Reason == runtime.ReasonInterrupted || o.Reason == runtime.ReasonError
}
