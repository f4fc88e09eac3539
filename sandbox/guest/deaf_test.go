package guest

import (
	"errors"
	"os/exec"
	"syscall"
	"testing"

	"gotest.tools/v3/assert"
)

// Only those go at once that would not listen.
func TestTheDeafAreEnded(t *testing.T) {
	t.Parallel()
	deaf, hearing := waiting(t, "trap '' INT; echo; read x"), waiting(t, "trap 'exit 7' INT; echo; read x")
	assert.Equal(t, killDeaf([]int{deaf.Process.Pid, hearing.Process.Pid}), 1)
	var exit *exec.ExitError
	assert.Assert(t, errors.As(deaf.Wait(), &exit))
	assert.Equal(t, exit.Sys().(syscall.WaitStatus).Signal(), syscall.SIGKILL)
	assert.Assert(t, !ignores(hearing.Process.Pid, syscall.SIGINT))
	assert.NilError(t, syscall.Kill(hearing.Process.Pid, syscall.SIGINT))
	assert.Assert(t, errors.As(hearing.Wait(), &exit))
	assert.Equal(t, exit.ExitCode(), 7)
}

// waiting starts a script that prints a line and then waits for its input.
func waiting(t *testing.T, script string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	_, err := cmd.StdinPipe()
	assert.NilError(t, err)
	out, err := cmd.StdoutPipe()
	assert.NilError(t, err)
	assert.NilError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	_, err = out.Read(make([]byte, 1))
	assert.NilError(t, err)
	return cmd
}
