package config

import (
	"maps"
	"path/filepath"
	"slices"
)

// sectionMCP holds a table for each MCP server: [mcp.NAME].
const sectionMCP = "mcp"

// MCPServer is the table of an MCP server as a file has it, unread.
type MCPServer struct {
	Name    string
	Values  map[string]any
	Dir     string // of the file
	Trusted bool   // not from a project file
	Origin  Origin
}

// servers keeps the tables of MCP servers. They are read by whoever starts them.
func (l *loader) servers(from fileSource, values map[string]any) {
	file := from.name
	for _, name := range slices.Sorted(maps.Keys(values)) {
		table, ok := values[name].(map[string]any)
		if !ok {
			l.problems.add(file, sectionMCP+"."+name, "it must be a table: write [mcp.NAME] and the server's keys below it")
			continue
		}
		l.cfg.MCP = append(l.cfg.MCP, MCPServer{Name: name, Values: table, Dir: filepath.Dir(file), Trusted: from.trusted, Origin: from.origin()})
	}
}
