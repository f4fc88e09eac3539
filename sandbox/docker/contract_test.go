package docker_test

import (
	"os"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/docker"
	"drydock/sandbox/sandboxtest"
)

func connect(t *testing.T) *docker.Engine {
	t.Helper()
	engine, err := docker.Connect(t.Context())
	assert.NilError(t, err, "these tests need a container engine")
	t.Cleanup(func() { _ = engine.Close() })
	return engine
}

// underSentry is what is lacked under gVisor, whatever its version;
// docs/engines.md says more.
var underSentry = []sandboxtest.Lack{sandboxtest.NoControlFiles, sandboxtest.NoHiding, sandboxtest.NoTerminalControl, sandboxtest.NoRootGuard, sandboxtest.NoMappedFiles}

// TestContract plays the whole contract with the engine's default runtime, or
// with the one that DRYDOCK_TEST_RUNTIME names.
func TestContract(t *testing.T) {
	engine, policy := connect(t), sandbox.DefaultPolicy()
	policy.Runtime = os.Getenv("DRYDOCK_TEST_RUNTIME")
	var lack []sandboxtest.Lack
	if sandbox.SentryRuntime(policy.Runtime) {
		lack = underSentry
	}
	sandboxtest.Run(t, engine, policy, lack...)
}

// Under gVisor, where the engine has it, the parts are played that its kernel
// has most to do with; make test-runsc plays them all, which takes minutes.
func TestContractUnderRunsc(t *testing.T) {
	engine, policy := connect(t), sandbox.DefaultPolicy()
	policy.Runtime = "runsc"
	if err := engine.CheckRuntime(t.Context(), policy); err != nil {
		t.Skipf("make runsc adds it: %v", err)
	}
	for _, theme := range []string{"identity", "limits", "endings", "timeouts", "contents"} {
		sandboxtest.Play(t, theme, engine, policy, underSentry...)
	}
}
