package abuse

import (
	"context"
	"fmt"
	"time"

	"drydock/sandbox/wire"
)

// rootOnly is what root of a container may do: harm the sandbox it is in, and
// no more. What is lost is said, and the host does not notice.
func rootOnly() []Case {
	ruin := []Ending{OK, Nonzero, Timeout, Refused, Lost}
	return []Case{
		{ID: "root-delete-all", Tries: "to delete everything there is", Input: "rm -rf --no-preserve-root / 2>/dev/null; echo on", Limit: 5 * time.Minute, Slow: true, Expect: fine, Alone: true, Then: programsMissing},
		{ID: "root-replace-shell", Tries: "to put another program in the shell's place", Input: "cp --remove-destination /bin/true /bin/bash; exit 3", Expect: denied, Alone: true, Then: answers},
		{ID: "root-replace-python", Tries: "to put another program in Python's place", Input: "cp --remove-destination /bin/true $(readlink -f $(command -v python3)); echo on", Expect: fine, Alone: true, Then: func(ctx context.Context, s *Stage) error {
			_, _ = s.Python(ctx, "1", quickly, true)
			return answers(ctx, s)
		}},
		{ID: "root-replace-guest", Tries: "to put another program in the guest's place", Input: "cp --remove-destination /bin/true /.drydock/guest; exit 3", Expect: ended, Alone: true, Then: answers},
		{ID: "root-run-files", Tries: "to take away the guest's pipes", Input: "rm -rf /.drydock/run/* /.drydock/output; echo on", Expect: ruin, Alone: true, Then: answers},
		{ID: "root-run-full", Tries: "to fill the guest's own file system", Input: "head -c 100M /dev/zero >/.drydock/run/full; rm -f /.drydock/run/full; echo on", Expect: fine, Then: says("echo on", "on")},
		{ID: "root-run-full-stays", Tries: "to leave the guest's own file system full", Input: "head -c 100M /dev/zero >/.drydock/run/full; echo on", Expect: fine, Alone: true, Then: answers},
		{ID: "root-note-link", Tries: "to have the guest write through a link", Input: "rm -f /.drydock/output/.exit-dir; ln -s /etc/passwd /.drydock/output/.exit-dir; exit 3", Expect: denied, Alone: true, Then: answers},
		{ID: "root-log-link", Tries: "to have the guest write its logs through a link", Input: "rm -rf /.drydock/output; ln -s /etc /.drydock/output; seq 100000; echo on", Expect: fine, Alone: true, Then: answers},
		{ID: "root-command-fifo", Tries: "to make the guest wait at a pipe in a file's place", Input: "rm -f /.drydock/run/command; mkfifo /.drydock/run/command; rm -f /.drydock/output/.exit-dir; mkfifo /.drydock/output/.exit-dir; exit 3", Expect: ruin, Alone: true, Then: answers},
		{ID: "root-limits", Tries: "to take limits away from the supervisor", Tool: Interpreter, Input: "import resource\nfor what in (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_AS):\n    try: resource.prlimit(1, what, (3, 3))\n    except OSError: pass", Expect: ruin, Alone: true},
		{ID: "root-limit-cpu", Tries: "to give the supervisor no time", Tool: Interpreter, Input: "import resource\nresource.prlimit(1, resource.RLIMIT_CPU, (1, 1))", Expect: ruin, Alone: true},
		{ID: "root-scores", Tries: "to have the supervisor killed first", Input: "echo 1000 >/proc/1/oom_score_adj; " + eat, Expect: append(ruin, OOM), Alone: true},
		{ID: "root-users", Tries: "to become another user, and to leave a process as one", Tool: Program, Input: `python3 -c '
import os, time
if os.fork() == 0:
    os.setsid(); os.setgid(4242); os.setuid(4242); time.sleep(777)'; echo on`, Expect: fine},
		{ID: "root-users-shell", Tries: "the same at a deadline", Input: `python3 -c '
import os, time
if os.fork() == 0:
    os.setsid(); os.setgid(4242); os.setuid(4242); time.sleep(778)
time.sleep(778)'`, Limit: brief, Expect: timeout},
		{ID: "root-users-background", Tries: "a job of another user that is not listed", Input: `python3 -c '
import os, time
os.setgid(4242); os.setuid(4242); time.sleep(779)' & sleep 0.3; echo on`, Expect: fine, Leaves: "python3"},
		{ID: "root-installs", Tries: "what root is there for", Input: "chown 4242:4242 /opt && chmod 700 /opt && touch /opt/x /usr/local/bin/x && rm /opt/x /usr/local/bin/x && chown 0:0 /opt && chmod 755 /opt && echo done", Expect: fine, Check: prints("done\n")},
	}
}

// answers holds when a sandbox, whatever is left of it, tells what it lacks and
// does not hang.
func answers(ctx context.Context, s *Stage) error {
	if _, err := s.Stats(ctx); err != nil {
		return fmt.Errorf("counters: %w", err)
	}
	for _, call := range []func() (wire.Result, error){
		func() (wire.Result, error) { return s.Shell(ctx, "echo on", brief, false) },
		func() (wire.Result, error) {
			return s.Exec(ctx, wire.ExecRequest{Argv: []string{"true"}, Timeout: brief})
		},
	} {
		if out := outcome(call()); out.Ending == Lost || out.Ending == Failed {
			return out.Err
		}
	}
	return nil
}

// programsMissing holds when the guest says that a program is not there any more.
func programsMissing(ctx context.Context, s *Stage) error {
	out := outcome(s.Exec(ctx, wire.ExecRequest{Argv: []string{"python3", "-c", "1"}}))
	if out.Ending != Refused {
		return fmt.Errorf("a program that is gone: %s", out.said())
	}
	return answers(ctx, s)
}
