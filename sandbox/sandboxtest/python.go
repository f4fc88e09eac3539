package sandboxtest

import (
	"context"
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

// python: the interpreter keeps its state until it is reset.
func python(t *testing.T, s suite) {
	box := s.box(t)
	pythonText(t, box, "x = 20")
	assert.Equal(t, pythonText(t, box, "x + 1"), "21\n")
	res, err := box.Python(t.Context(), "'x' in globals()", 0, true)
	assert.NilError(t, err)
	assert.Equal(t, text(res), "False\n")
}
