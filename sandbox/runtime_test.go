package sandbox

import (
	"errors"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/sandbox/wire"
)

// Who asks for gVisor and gets another kernel gets no sandbox.
func TestSandboxOnTheWrongKernel(t *testing.T) {
	for _, row := range []struct {
		runtime string
		sentry  bool
		ok      bool
	}{
		{"", false, true},
		{"runc", false, true},
		{"runsc", true, true},
		{"runsc-kvm", true, true},
		{"", true, true}, // the engine's default is better than asked for
		{"runsc", false, false},
		{"runsc-kvm", false, false},
	} {
		s := &Sandbox{policy: Policy{Runtime: row.runtime}, hello: wire.Hello{Sentry: row.sentry}}
		err := s.checkKernel()
		var engine *EngineError
		assert.Equal(t, err == nil, row.ok, row.runtime)
		assert.Assert(t, row.ok || errors.As(err, &engine), "%v", err)
	}
}
