package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"drydock/cmd/config"
	"drydock/runtime"
	"drydock/tools/mcp"
)

// mcpFile is the user's list of MCP servers, beside the configuration file.
const mcpFile = "mcp.json"

func addMCPFlag(cmd *cobra.Command, into *[]string) {
	cmd.Flags().StringArrayVar(into, "mcp-config", nil, "`file` of MCP servers (mcp.json) whose tools the agent gets too; may be repeated")
	_ = cmd.MarkFlagFilename("mcp-config", "json")
}

// mcpServers reads all MCP servers that are configured. A server of a file that
// was named on the command line takes the place of another one of its name.
func mcpServers(cmd *cobra.Command, streams Streams, cfg config.Config, files []string) ([]mcp.Spec, error) {
	sources, err := configSources(cmd)
	if err != nil {
		return nil, err
	}
	from := mcp.Source{Home: sources.Home, Getenv: os.Getenv, Kept: cfg.KeyVariables(), Trusted: true}
	named, err := namedServers(streams, files, from)
	if err != nil {
		return nil, usageError{err}
	}
	usual, err := usualServers(streams, filepath.Join(filepath.Dir(sources.UserFile()), mcpFile), cfg, from)
	if err != nil {
		return nil, usageError{err}
	}
	usual = slices.DeleteFunc(usual, func(u mcp.Spec) bool {
		return slices.ContainsFunc(named, func(n mcp.Spec) bool { return n.Name == u.Name })
	})
	return append(named, usual...), nil
}

// namedServers are those of the files named on the command line.
func namedServers(streams Streams, files []string, from mcp.Source) ([]mcp.Spec, error) {
	var all []mcp.Spec
	for _, file := range files {
		specs, err := serversOf(streams, file, from)
		if err != nil {
			return nil, fmt.Errorf("--mcp-config: %w", err)
		}
		all = append(all, specs...)
	}
	return all, nil
}

// usualServers are those of the user's mcp.json and of the configuration. A
// project's own mcp.json is not among them: its servers would run on this machine.
func usualServers(streams Streams, file string, cfg config.Config, from mcp.Source) ([]mcp.Spec, error) {
	var all []mcp.Spec
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		if all, err = serversOf(streams, file, from); err != nil {
			return nil, err
		}
	}
	for _, s := range cfg.MCP {
		from.File, from.Dir, from.Trusted, from.Strict = s.Origin.Where, s.Dir, s.Trusted, true
		spec, _, err := mcp.Parse(s.Name, s.Values, from)
		if err != nil {
			return nil, err
		}
		all = append(all, spec)
	}
	return all, nil
}

func serversOf(streams Streams, file string, from mcp.Source) ([]mcp.Spec, error) {
	full, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	from.Dir = filepath.Dir(full)
	specs, notes, err := mcp.ReadFile(file, from)
	for _, note := range notes {
		_, _ = fmt.Fprintf(streams.Err, "drydock: %s\n", oneLineOf(note))
	}
	return specs, err
}

// mcpSet makes the servers of a run. What they print goes into files of its
// directory, which is there once they are started.
func (j *job) mcpSet(specs []mcp.Spec) (*mcp.Set, error) {
	set, err := mcp.NewSet(specs, mcp.Options{
		Version: version, Getenv: os.Getenv,
		Warn: func(text string) { j.recorder.Emit(runtime.Warning{Text: text}) },
		Log: func(file string) (io.WriteCloser, error) {
			return os.OpenFile(j.dir.File(file), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		},
	})
	if err != nil {
		return nil, usageError{err}
	}
	return set, nil
}
