package abuse

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

// diskBudget is what the sandbox of the disk cases may have on disk.
const diskBudget = 256 << 20

// diskSlack is how much more than the budget the host's disk may lose while a
// call is being stopped.
const diskSlack = 1 << 30

// diskCases fill the disk in ways that are easy to overlook. Each is stopped for
// it, and removing files makes writing possible again.
func diskCases() []Case {
	const more = 2 << 30 // what each would write if nobody stopped it
	fills := func(id, tries, script, undo string) Case {
		return Case{
			ID: "disk-" + id, Tries: "to fill the disk " + tries, Tool: Go, Limit: 90 * brief, Expect: denied, Slow: true, Play: filling(script), Check: stoppedForDisk,
			Then: says(undo+"; echo y >after && cat after && rm after", "y"),
		}
	}
	return []Case{
		fills("one-file", "by one file", fmt.Sprintf("head -c %d /dev/zero >f", more), "rm -f f"),
		fills("many-files", "by many small files", `python3 -c '
for i in range(120000): open("m%d" % i, "wb").write(b"x" * 16000)'`, "find . -name 'm*' -delete"),
		fills("hidden", "in a directory that nobody may enter", fmt.Sprintf("mkdir h; (sleep 0.5; chmod 0 h) & cd h; head -c %d /dev/zero >f", more), "cd ..; chmod 700 h; rm -rf h"),
		fills("deleted", "by a file that is deleted and open", fmt.Sprintf(`python3 -c '
import os
f = open("d", "wb"); os.unlink("d")
for _ in range(%d >> 20): f.write(b"x" * (1 << 20))'`, more), "true"),
		fills("home", "outside of the workspace", fmt.Sprintf("head -c %d /dev/zero >~/f", more), "rm -f ~/f"),
		fills("tmp", "in /tmp", fmt.Sprintf("head -c %d /dev/zero >/tmp/f", more), "rm -f /tmp/f"),
		fills("exec", "apart from the shell's own process", fmt.Sprintf("setsid head -c %d /dev/zero >f & wait", more), "rm -f f"),
		fills("allocated", "by space that is only reserved", "for i in 1 2 3 4; do fallocate -l 512M a$i || head -c 512M /dev/zero >a$i; done; sleep 3", "rm -f a*"),
		fills("names", "by names and directories without content", `python3 -c '
import os
for i in range(200000): os.mkdir("n%d" % i)'`, "find . -name 'n*' -delete"),
		{ID: "disk-background", Tries: "to fill the disk when the call is over", Input: fmt.Sprintf("head -c %d /dev/zero >b & sleep 0.1; echo on", more), Slow: true, Leaves: "head", Then: func(ctx context.Context, s *Stage) error {
			res, err := s.Shell(ctx, "sleep 8; rm -f b; echo y >after && cat after", 2*quickly, false)
			if err == nil && string(res.Tail)+string(res.Head) != "y\n" {
				err = fmt.Errorf("writing again: %s %q", res.Status, res.Head)
			}
			return err
		}},
		{ID: "disk-sparse", Tries: "a file that is large but not there", Input: "truncate -s 3G s; sleep 1; cp --sparse=always s s2; rm s s2; echo on", Limit: time.Minute, Expect: fine, Check: all(prints("on\n"), notForDisk), Slow: true},
		{ID: "disk-hard-links", Tries: "one file of many names", Input: "head -c 60M /dev/zero >l; for i in $(seq 20); do ln l l$i; done; sleep 1; rm l*; echo on", Limit: time.Minute, Expect: fine, Check: all(prints("on\n"), notForDisk), Slow: true},
		{ID: "disk-within", Tries: "as much as it may", Input: "for i in 1 2 3; do head -c 150M /dev/zero >w; sleep 0.5; rm w; done; echo on", Limit: time.Minute, Expect: fine, Check: all(prints("on\n"), notForDisk), Slow: true},
		{ID: "disk-editor", Tries: "to write a file when the disk is full", Tool: Go, Limit: 90 * brief, Slow: true, Expect: []Ending{Refused, OK}, Play: func(ctx context.Context, s *Stage) Outcome {
			_, _ = s.Shell(ctx, fmt.Sprintf("head -c %d /dev/zero >f", diskBudget-(1<<20)), 2*quickly, true)
			out := writes("new")(ctx, s)
			_, _ = s.say(ctx, "rm -f f new")
			return out
		}},
	}
}

// filling runs a script and watches the host's disk.
func filling(script string) func(context.Context, *Stage) Outcome {
	return func(ctx context.Context, s *Stage) Outcome {
		before := hostFree()
		res, err := s.Shell(ctx, script, 6*quickly, true)
		out := outcome(res, err)
		if lost := before - hostFree(); out.Err == nil && lost > diskBudget+diskSlack {
			out.Err, out.Ending = fmt.Errorf("the host's disk lost %s", mib(lost)), Failed
		}
		return out
	}
}

// hostFree is the room on the file system that this machine's engine most likely
// keeps its containers on.
func hostFree() int64 {
	var st syscall.Statfs_t
	if syscall.Statfs("/var/lib", &st) != nil {
		return 0
	}
	return int64(st.Bavail) * st.Bsize
}

// stoppedForDisk holds when the result says that the disk was the reason.
func stoppedForDisk(o Outcome) error {
	if !o.Result.DiskFull {
		return errors.New("the result does not say that the disk is full")
	}
	return nil
}

func notForDisk(o Outcome) error {
	if o.Result.DiskFull {
		return errors.New("the result says that the disk is full")
	}
	return nil
}
