package sandbox_test

import (
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
)

func TestPolicyThatCannotWork(t *testing.T) {
	assert.NilError(t, sandbox.DefaultPolicy().Validate())
	for want, change := range map[string]func(*sandbox.Policy){
		"no image given":                  func(p *sandbox.Policy) { p.Image = "" },
		"at least 64 MiB":                 func(p *sandbox.Policy) { p.MemoryBytes = 1 },
		"cpus is 0":                       func(p *sandbox.Policy) { p.CPUs = 0 },
		"pids is 31":                      func(p *sandbox.Policy) { p.Pids = 31 },
		"timeout is 0s":                   func(p *sandbox.Policy) { p.Timeout = 0 },
		"max_timeout 1s is less":          func(p *sandbox.Policy) { p.MaxTimeout = time.Second },
		`network is "some"`:               func(p *sandbox.Policy) { p.Network = "some" },
		"for root, choose the level root": func(p *sandbox.Policy) { p.UID = 0 },
		"not an absolute path":            func(p *sandbox.Policy) { p.Workdir = "work" },
		`target "m"`:                      func(p *sandbox.Policy) { p.Mounts = []sandbox.Mount{{Source: "/s", Target: "m"}} },
	} {
		p := sandbox.DefaultPolicy()
		change(&p)
		assert.ErrorContains(t, p.Validate(), want)
	}
}
