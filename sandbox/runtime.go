package sandbox

import (
	"errors"
	"strings"
)

// SentryRuntime says whether a runtime is gVisor's, by the name that its own
// documentation gives it: runsc, or runsc- and something.
func SentryRuntime(name string) bool {
	return name == "runsc" || strings.HasPrefix(name, "runsc-")
}

// checkKernel makes sure that who asked for gVisor has it, told from the inside
// before anything of the model's runs.
func (s *Sandbox) checkKernel() error {
	if SentryRuntime(s.policy.Runtime) && !s.hello.Sentry {
		return &EngineError{Op: "use the runtime " + s.policy.Runtime, Err: errors.New("the sandbox does not run on gVisor's kernel")}
	}
	return nil
}
