package abuse

import (
	"time"

	"drydock/sandbox"
)

// bombs use up what there is of processes and processors. Where the runtime's
// own threads count against the process limit, they end the sandbox.
func bombs() []Case {
	few := Setting{"few", func(p *sandbox.Policy) { p.Pids, p.MemoryBytes = 64, 256<<20 }}
	one := Setting{"half", func(p *sandbox.Policy) { p.CPUs = 0.5 }}
	own := noRunsc("the runtime's own threads count against the process limit")
	return []Case{
		{ID: "bomb-classic", Tries: "the shortest fork bomb, in the background", Input: `:(){ :|:& };:`, Expect: any3, Not: own},
		{ID: "bomb-waited", Tries: "a fork bomb that is waited for", Input: `:(){ :|:& };:; wait; sleep 2`, Limit: 2 * brief, Expect: any3, Not: own},
		{ID: "bomb-few", Tries: "the same with few processes", Input: `:(){ :|:& };:; wait; sleep 2`, Limit: 2 * brief, Expect: any3, In: few, Not: own},
		{ID: "bomb-few-background", Tries: "the background one with few processes", Input: `:(){ :|:& };:`, Expect: any3, In: few, Not: own},
		{ID: "bomb-sessions", Tries: "forks in sessions of their own", Input: `bomb() { setsid bash -c 'while :; do sleep 1000 & done' & }; bomb; bomb; sleep 2`, Limit: 2 * brief, Expect: any3, In: few, Not: own},
		{ID: "bomb-deaf", Tries: "forks that hear no signal", Input: `trap '' TERM HUP INT QUIT; b() { b | b & }; b; while :; do :; done`, Limit: 2 * brief, Expect: timeout, Not: own},
		{ID: "bomb-nameless", Tries: "forks without an environment", Input: `env -i bash -c 'b() { b | b & }; b; sleep 5'`, Limit: 2 * brief, Expect: any3, Not: own},
		{ID: "bomb-exec", Tries: "a fork bomb apart from the shell", Tool: Program, Input: `b() { b | b & }; b; sleep 5`, Limit: 2 * brief, Expect: any3, Not: own},
		{ID: "bomb-orphans", Tries: "parents that die at once, so that nobody has the children", Input: `python3 -c 'import os
while True:
    try:
        if os.fork(): os._exit(0)
    except OSError: pass'; sleep 1`, Limit: 2 * brief, Expect: any3, Not: own},
		{ID: "bomb-python", Tries: "a million forks from Python", Tool: Interpreter, Input: "import os\nfor _ in range(10**6): os.fork()", Limit: 2 * brief, Expect: any3, Not: own},
		{ID: "bomb-python-program", Tries: "a million forks from a program", Input: `python3 -c 'import os;[os.fork() for _ in range(10**6)]'`, Limit: 2 * brief, Expect: any3, Not: own},
		{ID: "bomb-python-stubborn", Tries: "forks that try again for ever", Input: "python3 -c 'import os\nwhile True:\n    try: os.fork()\n    except OSError: pass'", Limit: 2 * brief, Expect: timeout, In: few, Not: own},
		{ID: "bomb-vfork", Tries: "spawns instead of forks", Input: `python3 -c 'import subprocess
while True:
    try: subprocess.Popen(["sleep", "1000"])
    except OSError: pass'`, Limit: 2 * brief, Expect: timeout, Not: own},
		{ID: "bomb-zombies", Tries: "children that nobody waits for", Input: `python3 -c 'import os, time
for _ in range(90):
    if not os.fork(): os._exit(0)
time.sleep(100)'`, Limit: 2 * brief, Expect: timeout},
		{ID: "threads", Tries: "100,000 threads", Tool: Interpreter, Input: "import threading, time\nfor _ in range(100000): threading.Thread(target=time.sleep, args=(1000,)).start()", Limit: 4 * brief, Expect: any3, Not: own},
		{ID: "threads-program", Tries: "threads without end from a program", Input: `python3 -c 'import threading, time
while True: threading.Thread(target=time.sleep, args=(1000,)).start()'`, Limit: 2 * brief, Expect: any3, In: few, Not: own},
		{ID: "threads-daemon", Tries: "threads of a background job that hold the limit", Input: `python3 -c '
import threading, time
try:
    while True: threading.Thread(target=time.sleep, args=(1000,)).start()
except RuntimeError: time.sleep(1000)' & sleep 0.5`, Expect: any3, In: few, Not: own},
		{ID: "busy", Tries: "all processors at once", Input: `for i in 1 2 3 4 5 6 7 8; do (while :; do :; done) & done; wait`, Limit: 2 * brief, Expect: timeout},
		{ID: "busy-half", Tries: "more than its share of a processor", Input: `python3 -c '
import time
began, used = time.monotonic(), time.process_time()
while time.monotonic() - began < 2: pass
print("over" if time.process_time() - used > 1.5 else "kept")'`, Expect: fine, Check: prints("kept\n"), In: one},
		{ID: "busy-nice", Tries: "to come before the supervisor", Input: `renice -n -20 $$ 2>&1; nice -n -20 true 2>/dev/null; python3 -c 'import os
try: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(99)); print("real time")
except OSError: pass'; [ $(cut -d" " -f19 /proc/self/stat) -ge 0 ] && echo low`, Expect: ended, Check: all(lacks("real time"), contains("low"))},
		{ID: "descriptors", Tries: "a million open files", Input: `python3 -c 'f = [open("/dev/null") for _ in range(10**6)]'`, Expect: denied, Check: contains("Too many open files")},
		{ID: "pipes", Tries: "as many full pipes as it gets", Input: `python3 -c '
import os, fcntl
kept = []
while True:
    r, w = os.pipe(); kept += [r, w]
    try: fcntl.fcntl(w, 1031, 1 << 20)
    except OSError: pass
    os.set_blocking(w, False)
    try: os.write(w, bytes(1 << 20))
    except OSError: pass'`, Expect: []Ending{Nonzero, OOM, Timeout}},
		{ID: "sockets", Tries: "as many full sockets as it gets", Input: `python3 -c '
import socket
kept = []
while True:
    pair = socket.socketpair(); kept.append(pair); pair[0].setblocking(False)
    try:
        while True: pair[0].send(bytes(65536))
    except OSError: pass'`, Expect: []Ending{Nonzero, OOM, Timeout}},
		{ID: "signals-queued", Tries: "to fill the queue of signals of a user", Input: `python3 -c '
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, [40])
import ctypes
libc = ctypes.CDLL(None)
for _ in range(200000):
    if libc.sigqueue(os.getpid(), 40, 0): break'`, Expect: any3},
		{ID: "watches", Tries: "as many watches of files as it gets", Input: `python3 -c '
import ctypes
libc = ctypes.CDLL(None)
n = 0
while libc.inotify_init() >= 0: n += 1
print(n > 0)'`, Expect: ended},
		{ID: "keys", Tries: "to fill the kernel with keys", Input: `python3 -c '
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print(libc.syscall(248, b"user", b"k", b"x" * 100, 100, -3) < 0)'`, Expect: fine, Check: prints("True\n")},
		{ID: "ipc", Tries: "segments of shared memory that outlive it", Input: `python3 -c '
import ctypes
libc = ctypes.CDLL(None)
for i in range(5000):
    if libc.shmget(0, 4096, 0o1600) < 0: break'`, Expect: ended},
		{ID: "deep-stack", Tries: "recursion without end", Input: `f() { f; }; f`, Limit: 5 * time.Second, Expect: any3, Slow: true},
		{ID: "long-arguments", Tries: "arguments of three megabytes", Input: `/bin/echo $(seq 500000) >/dev/null`, Expect: denied},
		{ID: "many-jobs", Tries: "a hundred jobs that do nothing", Input: `for i in $(seq 100); do sleep 1234 & done`, Expect: fine, Leaves: "sleep 1234", Slow: true},
	}
}
