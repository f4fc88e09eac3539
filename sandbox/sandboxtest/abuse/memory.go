package abuse

import "drydock/sandbox"

// eat is a program that takes more memory than any sandbox here has.
const eat = "python3 -c 'x = bytearray(8 << 30)'"

// memoryCases use up memory, directly or through what counts as memory.
func memoryCases() []Case {
	strict := Setting{"strict", func(p *sandbox.Policy) { p.Level = sandbox.LevelStrict }}
	leak := `l = []
while True: l.append(bytearray(b"x" * (1 << 20)))`
	fill := func(path string) string {
		return "dd if=/dev/zero of=" + path + "/x bs=1M 2>&1; rm -f " + path + "/x"
	}
	full := all(contains("No space left"), lacks("Killed"))
	return []Case{
		{ID: "mem-at-once", Tries: "8 GiB at once", Input: eat, Expect: starved, Check: all(code(137), killedForMemory)},
		{ID: "mem-hidden", Tries: "to hide that a child ran out of memory", Input: eat + "; echo rc=$?", Expect: fine, Check: all(killedForMemory, contains("rc=137"))},
		{ID: "mem-hidden-bash", Tries: "the same one process further", Input: `bash -c '` + `python3 -c "x=bytearray(8<<30)"; echo rc=$?'`, Expect: fine, Check: all(killedForMemory, contains("rc=137"))},
		{ID: "mem-leak", Tries: "a slow leak", Input: "python3 -c '" + leak + "'", Expect: starved, Check: killedForMemory},
		{ID: "mem-exec", Tries: "memory apart from the shell", Tool: Program, Input: "exec " + eat, Expect: starved},
		{ID: "mem-python", Tries: "memory in the interpreter", Tool: Interpreter, Input: "x = bytearray(8 << 30)", Expect: starved},
		{ID: "mem-python-leak", Tries: "a leak in the interpreter", Tool: Interpreter, Input: leak, Expect: starved, Check: replaced},
		{ID: "mem-shell", Tries: "memory of the shell itself", Input: "x=$(head -c 400M /dev/zero | tr '\\0' x); echo ${#x}", Expect: []Ending{OOM, OK, Nonzero}},
		{ID: "mem-shell-variable", Tries: "a variable that doubles", Input: "x=x; while :; do x=$x$x; done", Limit: 8 * brief, Expect: []Ending{OOM, Timeout, Nonzero}},
		{ID: "mem-many", Tries: "little each, too much together", Input: `for i in 1 2 3 4; do python3 -c 'x = bytearray(b"x" * (150 << 20)); import time; time.sleep(1)' & done; wait`, Expect: any3, Check: killedForMemory},
		{ID: "mem-background", Tries: "a leak in the background of later calls", Input: "python3 -c '" + leak + "' & sleep 1; echo on", Expect: []Ending{OK, OOM}},
		{ID: "mem-respawn", Tries: "to run out of memory again and again", Input: "for i in 1 2 3 4 5; do " + eat + "; done; echo end", Expect: fine, Check: all(contains("end"), killedForMemory)},
		{ID: "mem-protected", Tries: "to be the last that is killed", Input: "for s in -1000 -500 0; do echo $s >/proc/self/oom_score_adj && echo set; done 2>/dev/null; cat /proc/self/oom_score_adj", Expect: fine, Check: lacks("-1000\n", "-500\n")},
		{ID: "mem-locked", Tries: "to lock memory", Input: `python3 -c '
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.mlockall(3); x = bytearray(b"x" * (1 << 31))'`, Expect: []Ending{OOM, Nonzero}},
		{ID: "mem-anonymous-file", Tries: "memory in a file without a name", Input: `python3 -c '
import os
fd = os.memfd_create("x")
while True: os.write(fd, b"x" * (1 << 20))'`, Expect: []Ending{OOM, Nonzero}},
		{ID: "mem-shared-map", Tries: "memory shared with children that stay", Input: `python3 -c '
import mmap, os, time
m = mmap.mmap(-1, 1 << 30)
if os.fork() == 0: os.setsid()
for i in range(0, 1 << 30, 4096): m[i] = 1
time.sleep(9)'`, Limit: 4 * brief, Expect: []Ending{OOM, Timeout, Nonzero}},
		{ID: "mem-shm", Tries: "to fill /dev/shm", Input: fill("/dev/shm"), Expect: fine, Check: full},
		{ID: "mem-shm-kept", Tries: "to leave /dev/shm full", Input: "head -c 1G /dev/zero >/dev/shm/x", Expect: denied, Then: says("rm -f /dev/shm/x; echo y >/dev/shm/y && cat /dev/shm/y; rm /dev/shm/y", "y")},
		{ID: "mem-tmp-strict", Tries: "to fill a /tmp in memory", In: strict, Input: fill("/tmp"), Expect: fine, Check: full},
		{ID: "mem-home-strict", Tries: "to fill a home in memory", In: strict, Input: fill("$HOME"), Expect: fine, Check: full},
		{ID: "mem-workspace-strict", Tries: "to fill a workspace in memory", In: strict, Input: "for i in 1 2 3 4 5 6; do dd if=/dev/zero of=x$i bs=1M count=60; done 2>&1; rm -f x*", Expect: fine, Check: full},
		{ID: "mem-all-strict", Tries: "to fill everything that may be written, at once", In: strict, Input: "for d in /tmp $HOME $PWD /dev/shm; do for i in 1 2 3 4; do head -c 60M /dev/zero >$d/x$i; done; done 2>/dev/null; python3 -c 'print(1)'; rm -f {/tmp,$HOME,$PWD,/dev/shm}/x*", Expect: fine, Check: contains("1\n")},
		{ID: "mem-inodes-strict", Tries: "files without content in memory", In: strict, Input: "cd /tmp; python3 -c '\nimport os\ntry:\n    for i in range(10**6): os.mknod(str(i))\nexcept OSError: print(\"full\")'; find /tmp -type f -delete", Limit: 30 * brief, Expect: []Ending{OK, OOM, Timeout}, Slow: true},
		{ID: "mem-page-cache", Tries: "memory by writing and reading a large file", Input: "head -c 60M /dev/zero >big; for i in 1 2 3 4 5; do cat big big big >/dev/null; done; rm big; echo on", Expect: fine, Check: prints("on\n")},
	}
}
