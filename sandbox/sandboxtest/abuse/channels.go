package abuse

import (
	"context"
	"errors"
	"strings"
	"time"
)

// ending makes a hold that looks at the end of what is printed only: a shell
// that traces prints more.
func (h Hold) ending() Hold {
	return func(ctx context.Context, s *Stage) error {
		got, err := s.say(ctx, "echo second")
		if err == nil && !strings.Contains(got+"\n", "second\n") {
			err = errors.New("the second call printed " + got)
		}
		return err
	}
}

// lenient makes a hold of which the shell may be lost, once.
func (h Hold) lenient() Hold {
	return func(ctx context.Context, s *Stage) error {
		if h(ctx, s) == nil {
			return nil
		}
		return h(ctx, s)
	}
}

// longCommand runs a command of so many bytes.
func longCommand(size int) func(context.Context, *Stage) Outcome {
	return func(ctx context.Context, s *Stage) Outcome {
		res, err := s.Shell(ctx, "v="+strings.Repeat("x", size)+"; echo ${#v}", quickly, true)
		return outcome(res, err)
	}
}

// channelCases: bytes that a program puts into the pipes it can find reach at
// most the result of its own call.
func channelCases() []Case {
	const garbage = `{ printf 'x 0 h\0garbage\n\0\0'; head -c 300000 /dev/urandom; }`
	const pipes = `for f in /proc/[0-9]*/fd/*; do t=$(readlink "$f") && case $t in /.drydock/*)
  (timeout 1 sh -c '`
	quoted := strings.ReplaceAll(garbage, "'", `'\''`)
	return []Case{
		{ID: "pipe-garbage", Tries: "garbage into every pipe that is open somewhere", Input: pipes + quoted + ` >"$1"' - "$t") 2>/dev/null ;; esac; done`},
		{ID: "pipe-drain", Tries: "to read every pipe that is open somewhere", Input: pipes + `head -c 100000 <"$1" >/dev/null' - "$t") 2>/dev/null ;; esac; done`, Limit: 20 * time.Second},
		{ID: "pipe-hold", Tries: "to hold every pipe open for ever", Input: `for f in /proc/$$/fd/*; do t=$(readlink "$f"); case $t in /.drydock/*) (sleep 3 >"$t") & ;; esac; done 2>/dev/null; true`, Leaves: "sleep 3|bash"},
		{ID: "pipe-inherited", Tries: "to use what descriptors it inherits", Input: `for f in /proc/self/fd/*; do readlink $f; done | grep -vE '^(/dev/null|/.drydock/run/[osc][A-Z0-9]+|/proc/.*|pipe:.*)$'; true`, Expect: fine, Check: silent},
		{ID: "pipe-inherited-exec", Tries: "the same apart from the shell", Tool: Program, Input: `for f in /proc/self/fd/*; do readlink $f; done | grep -vE '^(/dev/null|/.drydock/run/o[A-Z0-9]+|/proc/.*|pipe:.*)$'; true`, Expect: fine, Check: silent},
		{ID: "pipe-forged-end", Tries: "to forge how the call ended", Tool: Go, Expect: denied, Check: all(code(5), prints("late\n")), Play: forgedEnd(garbage)},
		{ID: "pipe-script", Tries: "to steal the line of the next call", Input: `cat "$0" >/dev/null & disown; sleep 0.1; echo on`, Leaves: "cat", Expect: fine, Then: func(ctx context.Context, s *Stage) error {
			if _, err := s.Shell(ctx, "true", time.Second, false); err != nil {
				return err
			}
			_, err := s.Shell(ctx, "pkill cat; true", time.Second, false)
			return err
		}},
		{ID: "pipe-script-write", Tries: "to write lines into the shell's script", Input: `(echo 'echo forged'; echo 'exit 77') >"$0" 2>/dev/null; echo on`, Then: says("echo mine", "mine").lenient()},
		{ID: "pipe-command-file", Tries: "to change the text of the next command", Input: `for f in /.drydock/run/*; do echo 'echo forged' >$f; done 2>/dev/null; (while sleep 0.01; do echo 'echo forged' >/.drydock/run/command; done) 2>/dev/null & echo on`, Leaves: "sleep|bash", Then: says("echo mine", "mine")},
		{ID: "pipe-next-output", Tries: "to print into the pipe of the next call", Input: `(while :; do for f in /proc/$$/fd/1 /proc/$$/fd/2; do echo forged >$f; done; sleep 0.01; done) >/dev/null 2>&1 & echo on`, Expect: fine, Leaves: "sleep|bash"},
		{ID: "pipe-size", Tries: "to fill the memory of the guest's pipes", Input: `for i in $(seq 20); do (sleep 2; head -c 1M /dev/zero) & done; echo on`, Expect: fine, Leaves: "sleep|bash|head"},
	}
}

// forgedEnd learns, by a trap, where the shell reports to and by what word, and
// reports something else.
func forgedEnd(garbage string) func(context.Context, *Stage) Outcome {
	return func(ctx context.Context, s *Stage) Outcome {
		spy := `trap 'case $BASH_COMMAND in *printf*/.drydock/run/c*) echo "$BASH_COMMAND" >/tmp/seen;; esac' DEBUG`
		if _, err := s.Shell(ctx, spy, quickly, true); err != nil {
			return did(err)
		}
		res, err := s.Shell(ctx, `p=$(grep -o '/.drydock/run/c[A-Z0-9]*' /tmp/seen); n=$(grep -o '\b[A-Z2-7]\{26\}\b' /tmp/seen | head -1)
printf '%s 0 h\0' "$n" >$p; `+garbage+` >$p; printf '\0%s 9 h\0' "$n" guess >$p; echo late; (exit 5)`, quickly, false)
		return outcome(res, err)
	}
}
