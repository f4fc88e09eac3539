package agents

import (
	"fmt"

	"drydock/sandbox"
	"drydock/tools"
	"drydock/tools/bash"
	"drydock/tools/editor"
	"drydock/tools/python"
	"drydock/tools/terminal"
	"drydock/tools/terminate"
)

// ToolNames lists the tools there are.
func ToolNames() []string {
	return []string{bash.Name, python.Name, editor.Name, terminal.Name, terminate.Name}
}

// equipment is what the tools need of a sandbox, but for its files.
type equipment interface {
	bash.Shell
	python.Interpreter
	terminal.Terminals
}

// NewToolbox makes the tools a preset names for a sandbox. A tool that the
// image cannot serve is withheld, with the reason.
func NewToolbox(names []string, box *sandbox.Sandbox) (*tools.Registry, error) {
	return newToolbox(names, box, editor.InSandbox(box))
}

func newToolbox(names []string, box equipment, files editor.Files) (*tools.Registry, error) {
	hello := box.Hello()
	missing := map[string]string{}
	var list []tools.Tool
	for _, name := range names {
		switch name {
		case bash.Name:
			if hello.Shell == "" {
				missing[name] = "the image has neither bash nor sh"
				continue
			}
			list = append(list, bash.New(box))
		case python.Name:
			if hello.Python == "" {
				missing[name] = "the image has no python3"
				continue
			}
			list = append(list, python.New(box))
		case editor.Name:
			tool, err := editor.NewTool(files, editor.Options{Workdir: box.Policy().Workdir})
			if err != nil {
				return nil, fmt.Errorf("make tools: %w", err)
			}
			list = append(list, tool)
		case terminal.Name:
			if hello.Shell == "" {
				missing[name] = "the image has neither bash nor sh"
				continue
			}
			list = append(list, terminal.New(box))
		case terminate.Name:
			list = append(list, terminate.Tool{})
		default:
			return nil, fmt.Errorf("make tools: there is no tool named %q", name)
		}
	}
	registry, err := tools.NewRegistry(list...)
	if err != nil {
		return nil, fmt.Errorf("make tools: %w", err)
	}
	for name, reason := range missing {
		registry.Withhold(name, reason)
	}
	return registry, nil
}
