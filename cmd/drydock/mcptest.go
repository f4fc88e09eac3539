package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"drydock/agents"
	"drydock/cmd/config"
	"drydock/internal/scratch"
	"drydock/runtime"
	"drydock/runtime/workspace"
	"drydock/sandbox"
	"drydock/sandbox/docker"
	"drydock/tools/mcp"
)

func newMCPTestCmd(streams Streams) *cobra.Command {
	var flags struct {
		files  []string
		repo   string
		asJSON bool
	}
	cmd := &cobra.Command{
		Use: "test [flags] [NAME...]", Short: "Start MCP servers and show their tools",
		Long: `Start MCP servers, all that are enabled or the named ones, and show how long that
took, their tools, and what went wrong. Those of the sandbox are started in one,
with --repo in its workspace. The exit code is 1 when one does not start.`,
		RunE: func(cmd *cobra.Command, names []string) error {
			cfg, err := loadConfig(cmd)
			if err != nil {
				return err
			}
			specs, err := mcpServers(cmd, streams, cfg, flags.files)
			if err != nil {
				return err
			}
			if specs, err = chosen(specs, names); err != nil {
				return err
			}
			reports, err := tryServers(cmd.Context(), streams, cfg, specs, flags.repo)
			if err != nil {
				return err
			}
			return printReports(streams, reports, flags.asJSON)
		},
	}
	f := cmd.Flags()
	addMCPFlag(cmd, &flags.files)
	f.StringVar(&flags.repo, "repo", "", "`directory` to copy into the sandbox")
	f.BoolVar(&flags.asJSON, "json", false, "print as JSON")
	config.AddFlags(f, sandboxKeys()...)
	return cmd
}

// sandboxKeys are the settings of the sandbox.
func sandboxKeys() []string {
	var keys []string
	for _, s := range config.Settings() {
		if s.Section == config.SectionSandbox {
			keys = append(keys, s.Key())
		}
	}
	return keys
}

// tryServers starts servers and ends them again.
func tryServers(ctx context.Context, streams Streams, cfg config.Config, specs []mcp.Spec, repo string) ([]mcp.Report, error) {
	repo, err := checkRepo(repo)
	if err != nil {
		return nil, err
	}
	set, err := mcp.NewSet(specs, mcp.Options{Version: version, Getenv: os.Getenv, Warn: func(text string) {
		_, _ = fmt.Fprintf(streams.Err, "drydock: %s\n", oneLineOf(text))
	}})
	if err != nil {
		return nil, usageError{err}
	}
	defer set.Close()
	reports := set.Start(ctx)
	if !slices.ContainsFunc(specs, func(s mcp.Spec) bool { return s.Where == mcp.InSandbox }) {
		return reports, nil
	}
	err = withEngine(ctx, func(engine *docker.Engine) error {
		j := &job{streams: streams, cfg: cfg, repo: repo}
		box, err := j.bareSandbox(ctx, engine)
		if err != nil {
			return err
		}
		defer func() { _ = box.Close(ctx) }()
		reports = append(reports, set.Enter(ctx, box)...)
		set.Leave()
		return nil
	})
	return reports, err
}

// bareSandbox is a sandbox without a run, with the workspace in it.
func (j *job) bareSandbox(ctx context.Context, engine *docker.Engine) (*sandbox.Sandbox, error) {
	if err := j.furnish(ctx, engine); err != nil {
		return nil, err
	}
	spool, err := scratch.File(os.TempDir())
	if err != nil {
		return nil, err
	}
	defer spool.Close()
	snapshot, err := workspace.Empty(spool)
	if j.repo != "" && err == nil {
		snapshot, err = workspace.Take(ctx, j.repo, spool, j.limits())
	}
	if err != nil {
		return nil, err
	}
	box, err := sandbox.Default().Create(ctx, engine, "mcp-test-"+runtime.NewRunID(time.Now()), j.cfg.Sandbox)
	if err != nil {
		return nil, err
	}
	archive, _ := snapshot.Tar()
	if err := box.CopyIn(ctx, j.cfg.Sandbox.Workdir, archive); err != nil {
		_ = box.Close(ctx)
		return nil, fmt.Errorf("copy the workspace in: %w", err)
	}
	return box, nil
}

// furnish makes the policy ready for an engine: its image is there.
func (j *job) furnish(ctx context.Context, engine *docker.Engine) error {
	if j.cfg.Sandbox.Image == "" {
		preset, err := agents.LoadPreset(config.Default().Run.Agent)
		if err != nil {
			return err
		}
		j.cfg.Sandbox.Image = preset.Image
	}
	if err := j.cfg.Sandbox.Validate(); err != nil {
		return usageError{err}
	}
	if err := engine.CheckRuntime(ctx, j.cfg.Sandbox); err != nil {
		return err
	}
	image, err := j.ensureImage(ctx, engine)
	if err != nil {
		return err
	}
	j.cfg.Sandbox.Image = image.Reference
	return nil
}

func printReports(streams Streams, reports []mcp.Report, asJSON bool) error {
	failed := false
	all := []listedServer{}
	for _, r := range reports {
		s := listed(r.Spec)
		s.StartMS, s.About = r.Took.Milliseconds(), r.About
		for _, t := range r.Tools {
			s.Tools = append(s.Tools, listedTool{t.Name, t.Description, t.Parameters})
		}
		if r.Err != nil {
			s.Error, failed = r.Err.Error(), true
		}
		all = append(all, s)
	}
	if asJSON {
		if err := json.NewEncoder(streams.Out).Encode(all); err != nil {
			return err
		}
	} else {
		showReports(streams, all)
	}
	if failed {
		return codeError(exitFailed)
	}
	return nil
}

func showReports(streams Streams, all []listedServer) {
	for _, s := range all {
		if s.Error != "" {
			_, _ = fmt.Fprintf(streams.Out, "%s  not there after %d ms: %s\n", s.Name, s.StartMS, singleLine(s.Error))
			continue
		}
		_, _ = fmt.Fprintf(streams.Out, "%s  %d tool(s) after %d ms, %s, %s\n", s.Name, len(s.Tools), s.StartMS, s.Transport, place(s))
		for _, t := range s.Tools {
			_, _ = fmt.Fprintf(streams.Out, "  %s  %s\n", t.Name, oneLineOf(t.Description))
		}
	}
}
