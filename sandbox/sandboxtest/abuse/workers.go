package abuse

import (
	"context"
	"errors"
	"fmt"
	"time"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// workerCases are against the process that works on files for the editor. It
// runs as the tool user, so it can be killed, but work on files goes on.
func workerCases() []Case {
	against := func(id, tries, job string) Case {
		return Case{ID: id, Tries: tries, Tool: Go, Limit: 5 * time.Second, Expect: fine, Play: func(ctx context.Context, s *Stage) Outcome {
			bounded, cancel := context.WithTimeout(ctx, 8*time.Second)
			defer cancel()
			if _, err := s.Shell(bounded, "W=$(pgrep -f '^/.drydock/guest files'); "+job, quickly, true); err != nil {
				return did(err)
			}
			for i := range 5 {
				err := roundTrip(bounded, s, i)
				if call := new(sandbox.CallError); errors.As(err, &call) {
					err = roundTrip(bounded, s, i) // it was killed in the middle, and that was said
				}
				if err != nil {
					return broken("file work %d: %v", i, err)
				}
			}
			_, err := s.Shell(ctx, "kill -9 $(jobs -p)", quickly, true)
			return did(err)
		}}
	}
	ptrace := `python3 -c '
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
for request in (16, 0x4206): print(libc.ptrace(request, int(sys.argv[1]), 0, 0))' $W >trace; grep -q -- 0 trace && echo traced >traced; true`
	return []Case{
		against("worker-killed", "to kill the file worker", "kill -9 $W"),
		against("worker-stopped", "to stop the file worker", "kill -STOP $W"),
		against("worker-signals", "every signal to the file worker", "for s in $(seq 64); do kill -$s $W 2>/dev/null; done"),
		slowly(against("worker-kill-storm", "to kill the file worker as often as it starts", "(for i in $(seq 40); do pkill -9 -f '^/.drydock/guest files'; sleep 0.3; done) & true")),
		slowly(against("worker-stop-storm", "to stop the file worker whenever it runs", "(for i in $(seq 4000); do pkill -STOP -f '^/.drydock/guest files'; done) & true")),
		against("worker-traced", "to trace the file worker", ptrace),
		against("worker-files", "to take descriptors away from the file worker", "prlimit --pid $W --nofile=3:3 2>/dev/null || python3 -c 'import resource, sys; resource.prlimit(int(sys.argv[1]), resource.RLIMIT_NOFILE, (3, 3))' $W; true"),
		against("worker-size", "to forbid the file worker to write", "python3 -c 'import resource, sys; resource.prlimit(int(sys.argv[1]), resource.RLIMIT_FSIZE, (0, 0))' $W; true"),
		against("worker-memory", "to take memory away from the file worker", "python3 -c 'import resource, sys; resource.prlimit(int(sys.argv[1]), resource.RLIMIT_AS, (1 << 20, 1 << 20))' $W; true"),
		against("worker-cpu", "to give the file worker a second of processor", "python3 -c 'import resource, sys; resource.prlimit(int(sys.argv[1]), resource.RLIMIT_CPU, (1, 1))' $W; true"),
		against("worker-nice", "to put the file worker last", "renice -n 19 $W >/dev/null; for i in 1 2 3 4; do (timeout 5 sh -c 'while :; do :; done') & done; true"),
		{ID: "worker-copy", Tries: "to run a file worker of its own", Tool: Go, Expect: fine, Play: func(ctx context.Context, s *Stage) Outcome {
			if _, err := s.Shell(ctx, "for i in 1 2 3; do (/.drydock/guest files </dev/null &) ; done 2>/dev/null; exec -a '/.drydock/guest files' sleep 1", quickly, true); err != nil {
				return did(err)
			}
			return did(roundTrip(ctx, s, 0))
		}},
		{ID: "worker-locks", Tries: "to lock a file that is worked on", Tool: Go, Expect: fine, Play: func(ctx context.Context, s *Stage) Outcome {
			if _, err := s.Shell(ctx, `echo x >round-0; python3 -c 'import fcntl, time
f = open("round-0", "r+"); fcntl.flock(f, 2); fcntl.lockf(f, 2); time.sleep(5)' & sleep 0.2`, quickly, true); err != nil {
				return did(err)
			}
			return did(roundTrip(ctx, s, 0))
		}},
	}
}

// roundTrip writes a file and reads it again.
func roundTrip(ctx context.Context, s *Stage, i int) error {
	path := inWorkspace(s, fmt.Sprintf("round-%d", i))
	if _, err := s.WriteFile(ctx, path, []byte("there"), wire.WriteOptions{}); err != nil {
		return err
	}
	got, _, err := s.ReadFile(ctx, path, 100)
	if err == nil && string(got) != "there" {
		err = fmt.Errorf("read %q", got)
	}
	return err
}

// slowly leaves a case out of the quick part.
func slowly(c Case) Case {
	c.Slow = true
	return c
}
