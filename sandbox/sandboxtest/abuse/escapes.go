package abuse

import (
	"time"
)

// escapes are processes that try to outlive their call: at its deadline a call
// ends with all that it started.
func escapes() []Case {
	late := []Case{
		{ID: "stay-plain", Tries: "to sleep for ever", Input: "echo before; sleep 1e9", Check: all(prints("before\n"), kept, code(124))},
		{ID: "stay-deaf", Tries: "to ignore every signal", Input: `bash -c 'trap "" INT TERM HUP QUIT; while :; do sleep 6001; done'`},
		{ID: "stay-deaf-shell", Tries: "to make the shell itself deaf", Input: `trap "" INT TERM HUP QUIT; while :; do sleep 6002; done`},
		{ID: "stay-deaf-realtime", Tries: "to make the shell deaf to all 64 signals", Input: `for s in $(seq 64); do trap "" $s 2>/dev/null; done; while :; do sleep 1; done`},
		{ID: "stay-deaf-python", Tries: "to ignore signals in a program", Input: `python3 -c "import signal;[signal.signal(s,signal.SIG_IGN) for s in (1,2,15)];import time;time.sleep(99)"`},
		{ID: "stay-blocked", Tries: "to block every signal that can be", Input: `python3 -c "import signal,time;signal.pthread_sigmask(signal.SIG_BLOCK,range(1,65));time.sleep(99)"`},
		{ID: "stay-session", Tries: "to leave for a session of its own", Input: "setsid sleep 6003 & sleep 6004"},
		{ID: "stay-daemon", Tries: "to become a daemon, two forks away", Input: "( ( setsid sh -c 'sleep 6005 & exec sleep 6006' & ) & ); sleep 6007"},
		{ID: "stay-nameless", Tries: "to leave without an environment", Input: "env -i setsid /bin/sleep 6008 & sleep 6009"},
		{ID: "stay-unmarked", Tries: "to leave without the call's mark", Input: "unset DRYDOCK_CALL; setsid sleep 6012 & sleep 6013"},
		{ID: "stay-mismarked", Tries: "to leave with the mark of another call", Input: "DRYDOCK_CALL=1 setsid sleep 6012 & DRYDOCK_CALL=999999 setsid sleep 6012 & sleep 6013", Leaves: "sleep 6012"},
		{ID: "stay-overwritten", Tries: "to overwrite the environment it shows", Input: `python3 -c '
import ctypes, os, time
os.setsid() if os.fork() == 0 else None
libc = ctypes.CDLL(None)
libc.prctl(15, b"renamed", 0, 0, 0)
raw = open("/proc/self/stat").read().rsplit(")", 1)[1].split()
start, end = int(raw[47]), int(raw[48])
ctypes.memset(start, 0, end - start)
time.sleep(999)'`},
		{ID: "stay-hidden", Tries: "to make its environment unreadable", Input: `python3 -c '
import ctypes, os, time
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
if os.fork() == 0: os.setsid()
time.sleep(999)'`},
		{ID: "stay-stopped", Tries: "to be stopped when it is asked to end", Input: "sleep 6010 & kill -STOP $!; wait"},
		{ID: "stay-stops-itself", Tries: "to stop itself", Input: "kill -STOP $$; sleep 99"},
		{ID: "stay-loop", Tries: "to loop in the shell itself", Input: "while :; do :; done"},
		{ID: "stay-pipeline", Tries: "to loop in a function in a pipeline", Input: "f() { while :; do sleep 0.01; done; }; f | cat"},
		{ID: "stay-forking", Tries: "to fork faster than it is killed", Input: `bash -c 'while :; do sleep 6011 & sleep 0.02; done'`},
		{ID: "stay-respawn", Tries: "two processes that start each other again", Input: `cat >/tmp/twin.sh <<'E'
trap '' INT TERM HUP
while :; do pgrep -f "twin.sh $2" >/dev/null || setsid bash /tmp/twin.sh $2 $1 & sleep 0.05; done
E
setsid bash /tmp/twin.sh a b & sleep 99`},
		{ID: "stay-tracing", Tries: "to hold its child with a debugger's rights", Input: `python3 -c '
import ctypes, os, time
pid = os.fork()
if pid == 0:
    ctypes.CDLL(None).ptrace(0, 0, 0, 0); os.kill(os.getpid(), 19); time.sleep(99)
time.sleep(99)'`},
		{ID: "stay-exit-trap", Tries: "to go on in the trap of its end", Input: `trap 'sleep 6014' EXIT; sleep 6015`},
		{ID: "stay-debug-trap", Tries: "to go on in a trap of every command", Input: `trap 'sleep 6016' DEBUG; sleep 6017`},
		{ID: "stay-builtin-wait", Tries: "to wait in a read of a pipe without a writer", Input: `mkfifo /tmp/never; read x </tmp/never`},
		{ID: "stay-regex", Tries: "to compute for ever in a builtin", Input: `x=$(printf 'a%.0s' $(seq 40)); shopt -s extglob; [[ ${x}b == +(+(+(a)))c ]]; while :; do :; done`},
		{ID: "stay-printing", Tries: "to print a line now and then", Input: `while sleep 0.05; do echo tick; done`, Check: contains("tick\n")},
	}
	for i := range late {
		late[i].Limit, late[i].Expect = brief, timeout
	}
	for i, c := range []Case{
		{ID: "stay-exec-deaf", Tries: "to ignore signals apart from the shell", Input: `trap "" INT TERM; while :; do sleep 1; done`},
		{ID: "stay-exec-session", Tries: "to leave a program's session", Input: `setsid sleep 6020 & (setsid sleep 6021 &) ; sleep 6022`},
		{ID: "stay-python-loop", Tries: "to loop in the interpreter", Input: "while True: pass"},
		{ID: "stay-python-deaf", Tries: "to catch what would end it", Input: "while True:\n    try:\n        while True: pass\n    except BaseException: pass"},
		{ID: "stay-python-c", Tries: "to stay in one call of C", Input: "sum(range(10**12))"},
		{ID: "stay-python-child", Tries: "to leave a child in its own session", Input: "import subprocess\nsubprocess.Popen(['sleep', '6023'], start_new_session=True)\nwhile True: pass"},
	} {
		c.Tool, c.Limit, c.Expect = Interpreter, brief, timeout
		if i < 2 {
			c.Tool = Program
		}
		late = append(late, c)
	}
	return append(late, background()...)
}

// background processes stay when their call is over, if the result lists them.
func background() []Case {
	soon := within(5 * time.Second)
	return []Case{
		{ID: "job-nohup", Tries: "to hold the call by its output", Input: `setsid nohup sleep 999 >/dev/null 2>&1 &`, Expect: fine, Check: soon, Leaves: "sleep 999"},
		{ID: "job-holds-output", Tries: "to hold the call by its output, open", Input: `sleep 998 & echo started`, Expect: fine, Check: all(soon, prints("started\n")), Leaves: "sleep 998"},
		{
			ID: "job-late-output", Tries: "to print into the next call", Input: `(sleep 0.2; while echo late; do sleep 0.02; done) & echo now`, Expect: fine, Leaves: "sleep|bash",
			Check: prints("now\n"), Then: says("sleep 0.5; echo mine", "mine"),
		},
		{ID: "job-exec", Tries: "to leave something behind a single program", Tool: Program, Input: `setsid sleep 99 & sleep 98 & exit 5`, Expect: denied, Check: all(code(5), soon)},
		{ID: "job-after-timeout", Tries: "to print after it was ended", Input: `trap 'echo late' EXIT; (trap "" INT; sleep 1; echo later) & sleep 50`, Limit: brief, Expect: timeout, Then: says("sleep 1; echo mine", "mine")},
		{ID: "kill-all", Tries: "to kill whatever it can", Input: "kill -9 -1"},
		{ID: "kill-all-exec", Tries: "to kill whatever it can, apart from the shell", Tool: Program, Input: "kill -9 -1"},
		{ID: "kill-all-python", Tries: "to kill whatever it can, from Python", Tool: Interpreter, Input: "import os; os.kill(-1, 9)"},
		{ID: "stop-all", Tries: "to stop whatever it can", Input: "kill -STOP -1", Limit: brief},
		{ID: "stop-all-python", Tries: "to stop whatever it can, from Python", Tool: Interpreter, Input: "import os; os.kill(-1, 19)", Limit: brief},
		{ID: "stop-self", Tries: "to stop its own shell", Input: "kill -STOP $$", Limit: brief},
		{ID: "kill-storm", Tries: "to send every signal to every process", Input: `for s in $(seq 64); do kill -$s -1 2>/dev/null; done; echo on`, Limit: 2 * brief},
	}
}

// inputs are programs that wait for somebody to type.
func inputs() []Case {
	none := "exec 0<&-; cat"
	list := numbered("input", Case{Expect: ended, Check: within(9 * time.Second)}, []string{
		none, "cat; read x || echo none", "python3 -c 'input()'", "python3", "python3 -i -c 1", "bash -i </dev/null", "ssh host", "sudo -n id", "sudo id", "su",
		"passwd", "less /etc/passwd", "more /etc/passwd", "vim /etc/passwd", "vi x", "nano", "git commit", "git rebase -i HEAD~1", "man ls", "top -bn1",
		"script /dev/null", "tmux", "screen", "stty", "tput cols", "clear; reset", "read -t 1 -p 'name? ' x", "select x in a b; do break; done", "tee </dev/null", "head -c1",
		"git clone https://host.invalid/x", "pip install --index-url https://host.invalid x", "apt-get install x", "python3 -c 'import getpass; getpass.getpass()'", "gpg --gen-key",
	})
	return append(list,
		Case{ID: "input-terminal", Tries: "to open a terminal", Input: "exec 2>&1; (: </dev/tty) && echo opened; tty; [ -t 0 ] || [ -t 1 ] && echo terminal; ls /dev/pts", Expect: ended, Check: lacks("opened", "terminal\n", "/dev/pts/0")},
		Case{ID: "input-inject", Tries: "to type into the shell", Input: `python3 -c '
import fcntl, termios
for fd in range(3):
    try: fcntl.ioctl(fd, termios.TIOCSTI, b"x"); print("typed")
    except OSError: pass'`, Expect: fine, Check: silent},
		Case{ID: "input-exec", Tries: "to wait for input apart from the shell", Tool: Program, Input: "cat; read x || echo none", Expect: fine, Check: prints("none\n")},
		Case{ID: "input-python", Tries: "to wait for input in the interpreter", Tool: Interpreter, Input: "input()", Expect: denied, Check: contains("EOFError")},
	)
}
