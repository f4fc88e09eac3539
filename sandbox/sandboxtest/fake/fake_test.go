package fake_test

import (
	"testing"

	"drydock/sandbox"
	"drydock/sandbox/sandboxtest"
	"drydock/sandbox/sandboxtest/fake"
)

// What other tests take for a sandbox is one.
func TestContract(t *testing.T) {
	sandboxtest.RunWithoutPrograms(t, new(fake.Engine), sandbox.DefaultPolicy())
}
