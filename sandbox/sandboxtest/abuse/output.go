package abuse

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"drydock/sandbox"
)

// outputCases print more, or worse, than anyone wants to read. Their sandbox
// ends a call after 4 MiB.
func outputCases() []Case {
	wide := Setting{"wide", func(p *sandbox.Policy) { p.OutputBytes, p.LogBytes = 64<<30, 1<<20 }}
	flood := []Ending{OutputLimit}
	both := func(o Outcome) error {
		r := o.Result
		if len(r.Head) == 0 || len(r.Tail) == 0 || r.Dropped == 0 || r.Log == "" {
			return fmt.Errorf("%d and %d bytes kept, %d dropped, log %q", len(r.Head), len(r.Tail), r.Dropped, r.Log)
		}
		return nil
	}
	return []Case{
		{ID: "out-yes", Tries: "to print for ever", Input: "echo first; yes", Expect: flood, Check: all(both, contains("first\ny\n"), kept)},
		{ID: "out-10g", Tries: "to print 10 GB", Input: "yes | head -c 10G", Expect: flood, Check: both},
		{ID: "out-stderr", Tries: "to print for ever, as errors", Input: "yes >&2", Expect: flood, Check: both},
		{ID: "out-no-newline", Tries: "one line without an end", Input: `cat /dev/zero | tr '\0' a`, Expect: flood, Check: both},
		{ID: "out-deaf", Tries: "to print on when told to stop", Input: `trap '' INT TERM PIPE; while :; do printf '%65536s' x; done`, Expect: flood},
		{ID: "out-deaf-child", Tries: "children that print on", Input: `for i in 1 2 3 4; do (trap '' INT TERM PIPE; yes) & done; wait`, Expect: flood},
		{ID: "out-background", Tries: "a job that prints when the call is over", Input: `yes & echo on`, Expect: []Ending{OK, OutputLimit}, Leaves: "yes"},
		{ID: "out-exec", Tries: "to print for ever, apart from the shell", Tool: Program, Input: "yes", Expect: flood, Check: both},
		{ID: "out-python", Tries: "to print for ever, from Python", Tool: Interpreter, Input: "while True: print('x' * 100000)", Expect: flood, Check: both},
		{ID: "out-python-raw", Tries: "to print past Python's own files", Tool: Interpreter, Input: "import os\nwhile True: os.write(1, b'x' * 100000)", Expect: flood, Check: both},
		{ID: "out-python-value", Tries: "a value whose text is large", Tool: Interpreter, Input: "'x' * (100 << 20)", Expect: []Ending{OutputLimit, OK}},
		{ID: "out-python-endless-value", Tries: "a value whose text has no end", Tool: Interpreter, Input: "class A:\n    def __repr__(self):\n        while True: pass\nA()", Limit: brief, Expect: timeout},
		{ID: "out-1g", Tries: "1 GiB that the policy lets through", Input: "head -c 1G /dev/zero", In: wide, Limit: time.Minute, Expect: fine, Check: all(printed(1<<30), both), Slow: true},
		{ID: "out-random", Tries: "64 MiB of noise", Input: "head -c 64M /dev/urandom", In: wide, Limit: 20 * time.Second, Expect: fine, Check: printed(64 << 20)},
		{ID: "out-bytes", Tries: "every byte there is", Input: `for i in $(seq 0 255); do printf "\\x$(printf %x $i)"; done`, Expect: fine, Check: prints(everyByte())},
		{
			ID: "out-terminal", Tries: "to command the terminal of who reads it", Input: `printf '\0\033[2J\033]0;t\007\033]52;c;eA==\007\033]8;;http://x\033\\a\r\b\342\200\256b\302\233'`, Expect: fine,
			Check: prints("\x00\x1b[2J\x1b]0;t\a\x1b]52;c;eA==\a\x1b]8;;http://x\x1b\\a\r\b\u202eb\u009b"),
		},
		{ID: "out-torn", Tries: "characters cut where the middle is left out", Input: `python3 -c 'print("\u20ac" * 100000)'`, Expect: fine, Check: torn},
		{ID: "out-interleaved", Tries: "both streams, 10^5 lines", Input: `python3 -c '
import os
for i in range(50000): os.write(1, b"o%d\n" % i); os.write(2, b"e%d\n" % i)'`, Limit: 30 * time.Second, Expect: fine, Check: all(printed(interleaved()), contains("o0\ne0\no1\n", "o49999\ne49999\n"))},
		{ID: "out-last-word", Tries: "1.3 MB and then the end", Input: "head -c 1300000 /dev/zero | tr '\\0' z; echo end", Expect: fine, Check: all(printed(1300004), contains("zend\n"))},
		{ID: "out-last-word-exec", Tries: "1.3 MB and then the end, apart from the shell", Tool: Program, Input: "head -c 1300000 /dev/zero | tr '\\0' z; echo end", Expect: fine, Check: all(printed(1300004), contains("zend\n"))},
		{ID: "out-last-word-killed", Tries: "to print and be killed at once", Tool: Program, Input: "head -c 100000 /dev/zero; kill -9 $$", Expect: denied, Check: printed(100000)},
		{ID: "out-crumbs", Tries: "a byte at a time", Input: "python3 -uc 'import os\nfor _ in range(100000): os.write(1, b\"x\")'", Expect: fine, Check: printed(100000)},
		{ID: "out-nonblocking", Tries: "to make the output not wait", Input: `python3 -c '
import fcntl, os
fcntl.fcntl(1, fcntl.F_SETFL, os.O_NONBLOCK)
n = 0
while n < 500000:
    try: n += os.write(1, b"x" * 5000)
    except BlockingIOError: pass'; sleep 0.1; echo; echo on`, Expect: fine, Check: contains("on\n")},
		{ID: "out-shrunk", Tries: "to make the output's pipe small", Input: `python3 -c '
import fcntl
fcntl.fcntl(1, 1031, 4096); print("x" * 300000)'`, Expect: fine, Check: printed(300001)},
		{ID: "out-read-back", Tries: "to take its own output away", Input: `echo lost; cat /proc/self/fd/1 2>&1 | head -c 3 & sleep 0.3; echo on`, Limit: 3 * time.Second, Expect: any3, Leaves: "cat|head|bash"},
		{ID: "out-logs", Tries: "to keep many full outputs on the disk", Input: "echo start; for i in $(seq 3); do seq 100000; done", Expect: fine, Then: manyLogs},
		{ID: "out-late", Tries: "output after the end by time", Input: "echo before; (trap '' INT; sleep 0.9; echo late) & sleep 9", Limit: brief, Expect: timeout, Check: lacks("\nlate"), Then: says("sleep 0.6; echo mine", "mine")},
		{ID: "out-figures", Tries: "a hundred large figures", Tool: Interpreter, Input: "try:\n    import matplotlib.pyplot as p\nexcept ImportError:\n    pass\nelse:\n    for i in range(100): p.figure(figsize=(30, 30))", Limit: 20 * time.Second, Expect: any3, Slow: true},
	}
}

func everyByte() string {
	var all strings.Builder
	for b := range 256 {
		all.WriteByte(byte(b))
	}
	return all.String()
}

func interleaved() int64 {
	total := 0
	for i := range 50000 {
		total += 2 * len(fmt.Sprintf("o%d\n", i))
	}
	return int64(total)
}

// torn holds when what was kept is text but where it was cut.
func torn(o Outcome) error {
	head := string(o.Result.Head)
	for cut := 0; cut < utf8.UTFMax && !utf8.ValidString(head); cut++ {
		head = head[:len(head)-1]
	}
	if !utf8.ValidString(head) || head == "" {
		return fmt.Errorf("the head is no text")
	}
	return printed(300001)(o)
}
