package docker_test

import (
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

func TestContract(t *testing.T) {
	sandboxtest.Run(t, connect(t), sandbox.DefaultPolicy())
}
