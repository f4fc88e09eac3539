package agents

import (
	"context"
	"fmt"

	"drydock/runtime"
	"drydock/sandbox"
	"drydock/tools"
	"drydock/tools/mcp"
)

// startServers starts the MCP servers that need no sandbox.
func (s *Session) startServers(ctx context.Context) {
	if s.Servers != nil {
		s.tellServers(s.Servers.Start(ctx))
	}
}

// enterServers starts the MCP servers of a sandbox in it.
func (s *Session) enterServers(ctx context.Context, box *sandbox.Sandbox) {
	if s.Servers != nil {
		s.tellServers(s.Servers.Enter(ctx, box))
	}
}

// leaveServers ends the MCP servers of the sandbox, so that nothing of theirs
// changes files any more.
func (s *Session) leaveServers() {
	if s.Servers != nil {
		s.Servers.Leave()
	}
}

// tellServers records how the starts went. A server that is not there ends
// nothing: the model is told in its prompt.
func (s *Session) tellServers(reports []mcp.Report) {
	for _, r := range reports {
		e := runtime.ServerStarted{
			Server: r.Spec.Name, Transport: string(r.Spec.Transport), Where: string(r.Spec.Where),
			Tools: len(r.Tools), StartMS: r.Took.Milliseconds(),
		}
		if r.Err != nil {
			e.Error = r.Err.Error()
			s.warn(fmt.Errorf("MCP server %s: %w", r.Spec.Name, r.Err))
		}
		s.emit(e)
	}
}

// serverTools are the tools of the MCP servers as they are now.
func (s *Session) serverTools() []tools.Tool {
	if s.Servers == nil {
		return nil
	}
	return s.Servers.Tools()
}

// withServers adds what the MCP servers say of themselves to a preset's prompt.
func (s *Session) withServers(p Preset, data *PromptData) Preset {
	if s.Servers == nil {
		return p
	}
	if data.Servers = s.Servers.Instructions(); data.Servers != "" {
		p.System += "\n\n{{.Servers}}"
	}
	return p
}
