package runtime

// ServerStarted says how the start of an MCP server went.
type ServerStarted struct {
	Server    string `json:"server"`
	Transport string `json:"transport"` // stdio, http, sse or "http or sse"
	Where     string `json:"where"`     // host or sandbox
	Tools     int    `json:"tools"`
	StartMS   int64  `json:"start_ms"`
	Error     string `json:"error,omitempty"` // why it is not there
}

// EventType names the event.
func (ServerStarted) EventType() string { return "mcp.started" }
