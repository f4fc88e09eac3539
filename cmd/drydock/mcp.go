package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"drydock/cmd/config"
	"drydock/tools/mcp"
)

func newMCPCmd(streams Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use: "mcp", Short: "Use MCP servers, and be one",
		Long: `Use servers of the Model Context Protocol, whose tools an agent gets beside its
own, and be such a server for other agents.

Servers are named in mcp.json beside the user's configuration file, in tables
[mcp.NAME] of a configuration file, and in files given with --mcp-config. A
project's drydock.toml can name servers in the sandbox only.`,
	}
	cmd.AddCommand(newMCPListCmd(streams), newMCPTestCmd(streams), newMCPServeCmd(streams))
	return cmd
}

// listedServer is a server as list and test show it with --json. Values of
// variables and headers are not in it.
type listedServer struct {
	Name      string       `json:"name"`
	Transport string       `json:"transport"`
	Where     string       `json:"where"`
	Command   string       `json:"command,omitempty"`
	URL       string       `json:"url,omitempty"`
	Origin    string       `json:"origin"`
	Disabled  bool         `json:"disabled"`
	StartMS   int64        `json:"start_ms,omitempty"`
	Tools     []listedTool `json:"tools,omitempty"`
	About     string       `json:"about,omitempty"`
	Error     string       `json:"error,omitempty"`
}

type listedTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

func listed(s mcp.Spec) listedServer {
	return listedServer{
		Name: s.Name, Transport: string(s.Transport), Where: string(s.Where), Command: s.Command,
		URL: withoutQuery(s.URL), Origin: s.Origin, Disabled: s.Disabled,
	}
}

// withoutQuery leaves out where addresses hold keys.
func withoutQuery(address string) string {
	before, _, found := strings.Cut(address, "?")
	if found {
		before += "?…"
	}
	return before
}

// noSetting has AddFlags add --config alone.
const noSetting = ""

func newMCPListCmd(streams Streams) *cobra.Command {
	var files []string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "Show which MCP servers are configured, and start none", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			specs, err := mcpServers(cmd, streams, cfg, files)
			if err != nil {
				return err
			}
			return printServers(streams, specs, asJSON)
		},
	}
	addMCPFlag(cmd, &files)
	config.AddFlags(cmd.Flags(), noSetting)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func printServers(streams Streams, specs []mcp.Spec, asJSON bool) error {
	all := []listedServer{}
	for _, s := range specs {
		all = append(all, listed(s))
	}
	if asJSON {
		return json.NewEncoder(streams.Out).Encode(all)
	}
	w := tabwriter.NewWriter(streams.Out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "NAME\tTRANSPORT\tWHERE\tSTATE\tFROM")
	for _, s := range all {
		state := "enabled"
		if s.Disabled {
			state = "disabled"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", s.Name, s.Transport, place(s), state, s.Origin)
	}
	return w.Flush()
}

func place(s listedServer) string {
	if s.URL != "" {
		return oneLineOf(s.URL)
	}
	return s.Where
}

// chosen are the servers with the given names, all where there are none.
func chosen(specs []mcp.Spec, names []string) ([]mcp.Spec, error) {
	for _, name := range names {
		if !slices.ContainsFunc(specs, func(s mcp.Spec) bool { return s.Name == name }) {
			return nil, usageError{fmt.Errorf("there is no MCP server %q; drydock mcp list shows those there are", name)}
		}
	}
	var out []mcp.Spec
	for _, s := range specs {
		if len(names) == 0 && !s.Disabled || slices.Contains(names, s.Name) {
			s.Disabled = false
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return nil, usageError{errors.New("no MCP server is configured; see drydock mcp --help")}
	}
	return out, nil
}
