package abuse

import (
	"fmt"

	"drydock/sandbox"
)

// supervisorCases: the first process cannot be harmed, read or spoken for, also
// not by root.
func supervisorCases() []Case {
	var list []Case
	for _, l := range levels {
		list = append(list, at(l, againstSupervisor())...)
		if l != sandbox.LevelRoot {
			list = append(list, at(l, againstItsFiles())...)
		}
	}
	return list
}

func againstSupervisor() []Case {
	const look = `for f in /proc/1/fd/* /proc/1/environ /proc/1/mem /proc/1/maps /proc/1/smaps /proc/1/auxv /proc/1/stack /proc/1/syscall /proc/1/task/*/mem /proc/1/task/*/environ; do
  [ "$f" = "/proc/1/fd/*" ] && continue
  (: <"$f") 2>/dev/null && head -c 1 "$f" >/dev/null 2>&1 && echo "reads $f"
  (echo >"$f") 2>/dev/null && echo "writes $f"
  readlink "$f" 2>/dev/null
done; true`
	list := []Case{
		{ID: "init-signals", Tries: "every signal to the supervisor", Input: `for s in $(seq 64) KILL STOP TERM SEGV ABRT; do kill -$s 1 2>/dev/null; done; sleep 0.2; echo on`, Expect: fine, Check: prints("on\n")},
		{ID: "init-signals-many", Tries: "100,000 signals to the supervisor", Input: `python3 -c '
import os
for i in range(100000):
    try: os.kill(1, 1 + i % 64)
    except OSError: pass'; echo on`, Expect: fine, Check: prints("on\n")},
		{ID: "init-queue", Tries: "signals with a value to the supervisor", Input: `python3 -c '
import ctypes
libc = ctypes.CDLL(None)
for s in range(1, 65): libc.sigqueue(1, s, 0)'; echo on`, Expect: fine, Check: prints("on\n")},
		{ID: "init-threads", Tries: "signals to single threads of the supervisor", Input: `python3 -c '
import ctypes, os
libc = ctypes.CDLL(None)
for t in os.listdir("/proc/1/task"):
    for s in range(1, 65): libc.syscall(234, 1, int(t), s)'; echo on`, Expect: fine, Check: prints("on\n")},
		{ID: "init-proc", Tries: "to read and write what the kernel shows of the supervisor", Input: look, Expect: fine, Check: silent},
		{ID: "init-output", Tries: "to print into the stream to the host", Input: `(echo X >/proc/1/fd/1) 2>/dev/null && echo printed; (echo X >/proc/1/fd/0) 2>/dev/null && echo printed; (echo X >/proc/1/fd/2) 2>/dev/null && echo printed; true`, Expect: fine, Check: silent},
		{ID: "init-trace", Tries: "to trace the supervisor", Tool: Interpreter, Input: "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n[libc.ptrace(r, 1, 0, 0) for r in (16, 0x4206)]", Expect: fine, Check: prints("[-1, -1]\n")},
		{ID: "init-trace-threads", Tries: "to trace threads of the supervisor", Tool: Interpreter, Input: "import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\nany(libc.ptrace(0x4206, int(t), 0, 0) == 0 for t in os.listdir('/proc/1/task'))", Expect: fine, Check: prints("False\n")},
		{ID: "init-memory", Tries: "to write the supervisor's memory", Input: `dd if=/dev/zero of=/proc/1/mem bs=1 count=1 seek=4194304 conv=notrunc 2>/dev/null && echo written; true`, Expect: fine, Check: silent},
		{ID: "init-again", Tries: "to run the supervisor again", Input: "for mode in \"init {}\" 'launch' nonsense ''; do /.drydock/guest $mode </dev/null >/dev/null 2>&1 && echo ran; done; true", Expect: fine, Check: silent},
		{ID: "init-starved", Tries: "to starve the supervisor of the processor", Input: `for i in $(seq 60); do (while :; do :; done) & done; wait`, Limit: 2 * brief, Expect: timeout, Check: within(8 * 1e9)},
		{ID: "init-stop", Tries: "to stop the supervisor", Input: "kill -STOP 1; kill -TSTP 1; kill -TTIN 1; echo on", Expect: fine, Check: contains("on\n")},
	}
	return append(list, attempts("init-kill", fmt.Sprintf("kill -9 1 && ! kill -0 %s", "$$"))...)
}

// againstItsFiles has to fail for all but root.
func againstItsFiles() []Case {
	list := attempts("init-file",
		"ls /.drydock", "ls /.drydock/run", "touch /.drydock/x", "touch /.drydock/run/x", "touch /.drydock/output/x", "echo x >/.drydock/guest", "rm -f /.drydock/guest && false", "mv /.drydock /gone",
		"ln -sf /bin/true /.drydock/guest", "echo x >/.drydock/run/command", "rm -f /.drydock/run/command || false; [ ! -e /.drydock/run/command ]", "chmod 777 /.drydock/run", "mount --bind /tmp /.drydock/run", "head -c 100M /dev/zero >/.drydock/run/full", "ln -s /etc /.drydock/output/link")
	return append(append(list, limitsOfIt()...),
		Case{ID: "init-file-note", Tries: "to fill the one file of the guest that it may write", Input: "head -c 100M /dev/zero >>/.drydock/output/.exit-dir; stat -c %s /.drydock/output/.exit-dir", Expect: ended},
		Case{ID: "init-file-note-lies", Tries: "to have the next shell start somewhere odd", Input: "trap - EXIT; printf '/../../etc\\n\\0/proc/self' >/.drydock/output/.exit-dir; kill -9 $$", Expect: denied, Then: says("cd /; echo on", "on")},
		Case{ID: "init-file-delete", Tries: "to delete the guest", Input: "rm -rf /.drydock 2>/dev/null; [ -x /.drydock/guest ] && echo there", Expect: fine, Check: prints("there\n")},
	)
}

// limitsOfIt may be changed by a process of the same user, which root is.
func limitsOfIt() []Case {
	return []Case{
		{ID: "init-scores", Tries: "to have the supervisor killed first", Input: `(echo 1000 >/proc/1/oom_score_adj) 2>/dev/null && echo set; cat /proc/1/oom_score_adj`, Expect: fine, Check: lacks("set", "1000")},
		{ID: "init-limits", Tries: "to take limits away from the supervisor", Input: `python3 -c '
import resource
for what in (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_AS):
    try: resource.prlimit(1, what, (3, 3)); print("set")
    except OSError: pass'`, Expect: fine, Check: silent},
		{ID: "init-priority", Tries: "to put the supervisor last", Input: `renice -n 19 -p 1 >/dev/null 2>&1 && echo set; chrt -i -p 0 1 >/dev/null 2>&1 && echo idle; taskset -p 1 1 >/dev/null 2>&1 && echo bound; true`, Expect: fine, Check: silent},
	}
}
