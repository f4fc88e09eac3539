package abuse

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// pythonCases are against the interpreter's driver. It never gives one call's
// answer to another, and works again after a reset at the latest.
func pythonCases() []Case {
	limit := 2 * time.Second
	list := []Case{
		{ID: "py-error", Tries: "an error", Input: "1/0", Expect: denied, Check: all(contains("ZeroDivisionError"), lacks("drydock"), kept)},
		{ID: "py-syntax", Tries: "what is no Python", Input: "if (", Expect: denied, Check: kept},
		{ID: "py-exit", Tries: "to end the interpreter", Input: "import sys; sys.exit(3)", Expect: denied},
		{ID: "py-hard-exit", Tries: "to end the interpreter without its leave", Input: "import os; os._exit(3)", Expect: denied, Check: replaced},
		{ID: "py-killed", Tries: "to kill the interpreter", Input: "import os; os.kill(os.getpid(), 9)", Expect: denied, Check: replaced},
		{ID: "py-crash", Tries: "to crash the interpreter", Input: "import ctypes; ctypes.string_at(0)", Expect: denied, Check: replaced},
		{ID: "py-fork", Tries: "two interpreters where there was one", Input: "import os; os.fork()"},
		{ID: "py-exec", Tries: "to become another program", Input: "import os; os.execvp('sleep', ['sleep', '0.1'])", Check: replaced},
		{ID: "py-stopped", Tries: "to stop the interpreter", Input: "import os; os.kill(os.getpid(), 19)"},
		{ID: "py-garbage", Tries: "garbage on the reply pipe", Input: "import os; os.write(4, b'garbage')"},
		{ID: "py-huge-reply", Tries: "a reply of four GiB", Input: "import os; os.write(4, b'\\xff' * 64)"},
		{ID: "py-deep-reply", Tries: "a reply that nests", Input: "import os, struct; b = b'[' * 100000; os.write(4, struct.pack('>I', len(b)) + b)"},
		{ID: "py-flood-reply", Tries: "to flood the reply pipe", Input: "import os\nwhile True: os.write(4, b'\\0' * 65536)"},
		{ID: "py-steal-request", Tries: "to read the next request", Input: "import os, threading; threading.Thread(target=lambda: os.read(3, 1 << 20), daemon=True).start()"},
		{ID: "py-closed", Tries: "to close every pipe", Input: "import os; os.closerange(0, 64)"},
		{ID: "py-no-builtins", Tries: "to take the driver's functions away", Input: "import builtins\nbuiltins.exec = builtins.compile = builtins.print = None"},
		{ID: "py-no-modules", Tries: "to take the driver's modules away", Input: "import sys\nsys.modules.clear()"},
		{ID: "py-bad-modules", Tries: "to change the driver's modules", Input: "import json, os, struct, io\njson.dumps = json.loads = lambda *a, **k: '{}'\nos.write = os.read = lambda *a: b''\nstruct.pack = None"},
		{ID: "py-displayhook", Tries: "to change how values are shown", Input: "import sys\nsys.displayhook = sys.excepthook = lambda *a: 1/0\nsys.stdout = sys.stderr = None\n1/0"},
		{ID: "py-trace", Tries: "to end every function by a trace", Input: "import sys\ndef t(*a): raise SystemExit(9)\nsys.settrace(t); sys.setprofile(t)"},
		{ID: "py-recursion", Tries: "to recurse as deep as it goes", Input: "import sys\nsys.setrecursionlimit(10**9)\ndef f(): f()\nf()"},
		{ID: "py-threads-print", Tries: "a thread that prints into later calls", Input: "import threading, time\ndef f():\n    while True: print('late'); time.sleep(0.01)\nthreading.Thread(target=f, daemon=True).start()"},
		{ID: "py-atexit", Tries: "to go on at its end", Input: "import atexit, time\natexit.register(lambda: time.sleep(99))\nimport sys; sys.exit(1)"},
		{ID: "py-alarm", Tries: "an alarm in a later call", Input: "import signal; signal.alarm(1)"},
		{ID: "py-signals", Tries: "to hear the signal that ends a call", Input: "import signal, time\nfor s in range(1, 65):\n    try: signal.signal(s, lambda *a: None)\n    except (OSError, ValueError): pass\nwhile True: time.sleep(0.1)"},
		{ID: "py-gc", Tries: "a destructor that does not return", Input: "class A:\n    def __del__(self):\n        while True: pass\nA()\nNone"},
		{ID: "py-repr-exit", Tries: "a value whose text ends the interpreter", Input: "class A:\n    def __repr__(self):\n        import os; os._exit(5)\nA()"},
		{ID: "py-globals", Tries: "to take its own names away", Input: "globals().clear()\ndel __builtins__"},
		{ID: "py-limits", Tries: "to take its own memory and descriptors", Input: "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (3, 3)); resource.setrlimit(resource.RLIMIT_AS, (1 << 20, 1 << 20))"},
		{ID: "py-site", Tries: "code that runs in every new interpreter", Input: "import os, site\np = site.getusersitepackages(); os.makedirs(p, exist_ok=True)\nopen(p + '/usercustomize.py', 'w').write('import os; os._exit(9)')", Alone: true, Then: mended},
		{ID: "py-shadow", Tries: "modules of the workspace in place of the driver's", Input: "for m in ('json', 'struct', 'io', 'traceback', 'signal', 'ast'): open(m + '.py', 'w').write('raise SystemExit(9)')", Alone: true},
	}
	for i := range list {
		c := &list[i]
		c.Tool = Interpreter
		if c.Then == nil {
			c.Then = sane
		}
		if c.Limit == 0 {
			c.Limit = limit
		}
	}
	list = append(list, Case{ID: "py-forged-reply", Tries: "a reply in place of the next one", Tool: Go, Expect: fine, Play: forgedReply})
	return list
}

// sane holds when the interpreter works after a reset.
func sane(ctx context.Context, s *Stage) error {
	res, err := s.Python(ctx, "6 * 7", quickly, true)
	if err == nil && string(res.Head) != "42\n" {
		err = fmt.Errorf("after a reset it said %s %q", res.Status, res.Head)
	}
	return err
}

// mended holds when the interpreter says why it does not start, and does when
// the reason is gone.
func mended(ctx context.Context, s *Stage) error {
	res, err := s.Python(ctx, "6 * 7", quickly, true)
	if out := outcome(res, err); out.Ending != Refused && out.Ending != OK {
		return fmt.Errorf("started: %s", out.said())
	}
	if _, err := s.say(ctx, "rm -rf ~/.local"); err != nil {
		return err
	}
	return sane(ctx, s)
}

// forgedReply answers in place of the driver and then asks on.
func forgedReply(ctx context.Context, s *Stage) Outcome {
	const forge = `import json, os, struct, time
answer = json.dumps({"code": 0, "images": []}).encode()
os.write(4, struct.pack(">I", len(answer)) + answer)
time.sleep(0.2)
print("the end")`
	if _, err := s.Python(ctx, forge, 5*time.Second, true); err != nil {
		return did(err)
	}
	for i, want := range []string{"1\n", "2\n", "3\n"} {
		res, err := s.Python(ctx, strings.Repeat("\n", i)+want, quickly, false)
		if err != nil || string(res.Head) != want {
			return broken("call %d said %q, want %q (%v)", i, res.Head, want, err)
		}
	}
	return did(nil)
}
