package agents

import (
	"fmt"

	"drydock/runtime"
	"drydock/sandbox"
	"drydock/tools"
	"drydock/tools/editor"
)

// Preview is what an agent would begin with.
type Preview struct {
	System string       // the system prompt, filled in
	Tools  []tools.Spec // without those of MCP servers
	Tokens int          // of the first request, as an estimate
}

// Foresee says what an agent would begin with in a sandbox whose image has
// everything. No sandbox is made and no model asked.
func Foresee(p Preset, policy sandbox.Policy, task string) (Preview, error) {
	box := blueprint{policy}
	registry, err := newToolbox(p.Tools, box, editor.InSandbox(nil))
	if err != nil {
		return Preview{}, fmt.Errorf("describe tools: %w", err)
	}
	agent, err := NewAgent(nil, registry, p, promptData(policy, box.Hello(), registry), task, func(runtime.Payload) {})
	if err != nil {
		return Preview{}, err
	}
	return Preview{System: agent.memory.Messages()[0].Text, Tools: registry.Specs(), Tokens: agent.memory.Tokens()}, nil
}
