package docker_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/docker"
)

// ownerVariable makes the test binary the owner of a sandbox that is going to
// be killed.
const ownerVariable = "DRYDOCK_TEST_OWNER"

func TestMain(m *testing.M) {
	if id := os.Getenv(ownerVariable); id != "" {
		own(id)
		return
	}
	if what := os.Getenv(sshVariable); what != "" && filepath.Base(os.Args[0]) == "ssh" {
		beSSH(what)
		return
	}
	os.Exit(m.Run())
}

// own starts a fork bomb in a sandbox, says so, and waits for its end.
func own(id string) {
	ctx := context.Background()
	engine, err := docker.Connect(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	policy := sandbox.DefaultPolicy()
	policy.Pids, policy.MemoryBytes = 64, 256<<20
	box, err := sandbox.Default().Create(ctx, engine, id, policy)
	if err != nil {
		fmt.Println(err)
		return
	}
	go func() {
		_, _ = box.Shell(ctx, "trap '' TERM HUP INT; bomb() { bomb | bomb & }; bomb; while :; do :; done", time.Minute, false)
	}()
	for {
		if st, err := box.Stats(ctx); err != nil || st.Pids > 20 {
			break
		}
	}
	fmt.Println("ready")
	_, _ = box.Shell(ctx, "sleep 60", time.Minute, false)
}

// A process that is killed without a chance to clean up leaves no container.
func TestKilledOwnerLeavesNothing(t *testing.T) {
	id := "test-owner-" + fmt.Sprint(os.Getpid())
	owner := exec.CommandContext(t.Context(), os.Args[0])
	owner.Env = append(os.Environ(), ownerVariable+"="+id)
	out, err := owner.StdoutPipe()
	assert.NilError(t, err)
	assert.NilError(t, owner.Start())
	said := make([]byte, 1000)
	n, _ := out.Read(said)
	assert.Equal(t, strings.TrimSpace(string(said[:n])), "ready")
	assert.Assert(t, containerExists(t, "drydock-"+id))

	assert.NilError(t, owner.Process.Kill())
	began := time.Now()
	_ = owner.Wait()
	for containerExists(t, "drydock-"+id) {
		assert.Assert(t, time.Since(began) < 10*time.Second, "the container is still there")
		time.Sleep(20 * time.Millisecond)
	}
	t.Logf("gone after %s", time.Since(began).Round(time.Millisecond))
}
