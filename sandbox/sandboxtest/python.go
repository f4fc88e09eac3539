package sandboxtest

import (
	"context"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/wire"
)

// exec is the part of a sandbox that runs one program.
type exec interface {
	Exec(ctx context.Context, req wire.ExecRequest) (wire.Result, error)
}

func evaluate(t *testing.T, box *sandbox.Sandbox, code string, limit time.Duration) wire.Result {
	t.Helper()
	res, err := box.Python(t.Context(), code, limit, false)
	assert.NilError(t, err)
	return res
}

func pythonText(t *testing.T, box *sandbox.Sandbox, code string) string {
	t.Helper()
	res := evaluate(t, box, code, 0)
	assert.Equal(t, res.Status, wire.StatusOK, "%s", text(res))
	return text(res)
}

// python: the interpreter keeps its state, survives what the code does, and
// never gives one call's answer to another.
func python(t *testing.T, s suite) {
	box := s.box(t)
	for _, row := range []struct {
		name, code string
		limit      time.Duration
		status     wire.Status
	}{
		{name: "an error", code: "1/0", status: wire.StatusExitNonzero},
		{name: "an exit", code: "import sys; sys.exit(3)", status: wire.StatusExitNonzero},
		{name: "a hard exit", code: "import os; os._exit(3)", status: wire.StatusExitNonzero},
		{name: "a loop", code: "while True: pass", limit: time.Second, status: wire.StatusTimeout},
		{name: "a deaf loop", code: "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass", limit: time.Second, status: wire.StatusTimeout},
		{name: "memory", code: "x = bytearray(4 << 30)", status: wire.StatusOOM},
		{name: "garbage on the reply pipe", code: "import os; os.write(4, b'garbage')", limit: 2 * time.Second},
		{name: "a reply of four GiB", code: "import os; os.write(4, b'\\xff' * 64)", limit: 2 * time.Second},
		{name: "closed pipes", code: "import os; os.closerange(0, 64)", limit: 2 * time.Second},
		{name: "no builtins", code: "import builtins\nbuiltins.exec = builtins.compile = builtins.print = None", limit: 2 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			res := evaluate(t, box, row.code, row.limit)
			assert.Assert(t, row.status == "" || res.Status == row.status, "%s\n%s", res.Status, text(res))
			began := time.Now()
			next := evaluate(t, box, "6 * 7", 2*time.Second)
			assert.Assert(t, text(next) == "42\n" || row.status == "", "%s", text(next))
			again, err := box.Python(t.Context(), "6 * 7", 0, true)
			assert.NilError(t, err)
			assert.Equal(t, text(again), "42\n")
			assert.Assert(t, time.Since(began) < patience)
		})
	}
	t.Run("a forged reply", func(t *testing.T) {
		const forge = `import json, os, struct, time
answer = json.dumps({"code": 0, "images": []}).encode()
os.write(4, struct.pack(">I", len(answer)) + answer)
time.sleep(0.2)
print("the end")`
		evaluate(t, box, forge, 5*time.Second)
		for i, want := range []string{"1\n", "2\n", "3\n"} {
			got := evaluate(t, box, strings.Repeat("\n", i)+want, 0)
			assert.Equal(t, text(got), want)
		}
	})
	t.Run("state", func(t *testing.T) {
		pythonText(t, box, "x = 20")
		assert.Equal(t, pythonText(t, box, "x + 1"), "21\n")
		res, err := box.Python(t.Context(), "'x' in globals()", 0, true)
		assert.NilError(t, err)
		assert.Equal(t, text(res), "False\n")
	})
}
