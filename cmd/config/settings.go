package config

import (
	"math"
	"time"

	"drydock/sandbox"
)

// The sections of a configuration file, which are also the groups of flags.
const (
	SectionLLM     = "llm"
	SectionSandbox = "sandbox"
	SectionRun     = "run"
)

// Settings lists every setting there is. It is the one place that knows them:
// files, variables, flags and documentation follow from it.
func Settings() []Setting {
	all := llmSettings()
	all = append(all, sandboxSettings()...)
	all = append(all, runSettings()...)
	return append(all, roleSettings()...)
}

func sandboxSettings() []Setting {
	return append([]Setting{
		setting("sandbox.image", "image of the sandbox", text("image"),
			func(c *Config) *string { return &c.Sandbox.Image }, withDefault("the agent's")),
		setting("sandbox.memory", "memory limit; there is no swap on top", size(64<<20),
			func(c *Config) *int64 { return &c.Sandbox.MemoryBytes }),
		setting("sandbox.cpus", "share of processors, such as 1.5", processors(),
			func(c *Config) *float64 { return &c.Sandbox.CPUs }),
		setting("sandbox.pids", "processes and threads at a time", count[int64](32, math.MaxInt32),
			func(c *Config) *int64 { return &c.Sandbox.Pids }),
		setting("sandbox.shm", "size of /dev/shm, which counts as memory", size(1<<10),
			func(c *Config) *int64 { return &c.Sandbox.ShmBytes }),
		setting("sandbox.file_size", "largest file a program may write", size(1<<20),
			func(c *Config) *int64 { return &c.Sandbox.FileBytes }),
		setting("sandbox.open_files", "descriptors a process may have open", count[int64](64, 1<<20),
			func(c *Config) *int64 { return &c.Sandbox.OpenFiles }),
		setting("sandbox.disk", "all that a run may have on disk at a time", size(16<<20),
			func(c *Config) *int64 { return &c.Sandbox.DiskBytes }),
		setting("sandbox.tool_timeout", "time for a tool call that asks for none", duration(time.Millisecond),
			func(c *Config) *time.Duration { return &c.Sandbox.Timeout }),
		setting("sandbox.max_tool_timeout", "time that no tool call can exceed", duration(time.Millisecond),
			func(c *Config) *time.Duration { return &c.Sandbox.MaxTimeout }),
	}, accessSettings()...)
}

// accessSettings are those that say what a sandbox is given and can reach.
func accessSettings() []Setting {
	return []Setting{
		setting("sandbox.network", "what the sandbox can reach: none or full", choice("network", sandbox.NetworkNone, sandbox.NetworkFull),
			func(c *Config) *sandbox.Network { return &c.Sandbox.Network },
			trustedIf(func(w []string) bool { return len(w) > 0 && w[0] != string(sandbox.NetworkNone) })),
		setting("sandbox.level", "how far the sandbox is closed: strict, standard or root", choice("level", sandbox.LevelStrict, sandbox.LevelStandard, sandbox.LevelRoot),
			func(c *Config) *sandbox.Level { return &c.Sandbox.Level },
			trustedIf(func(w []string) bool { return len(w) > 0 && w[0] != string(sandbox.LevelStrict) })),
		setting("sandbox.on_loss", "what becomes of a run whose sandbox was lost: fail, or replace it once", choice("policy", sandbox.LossFails, sandbox.LossReplaces),
			func(c *Config) *sandbox.OnLoss { return &c.Sandbox.OnLoss }),
		setting("sandbox.user", "identity of everything the model runs, UID or UID:GID; see level for root", user(),
			func(c *Config) *sandbox.Policy { return &c.Sandbox }, trusted()),
		setting("sandbox.runtime", "the engine's runtime, such as runsc", text("name"),
			func(c *Config) *string { return &c.Sandbox.Runtime }, trusted(), withDefault("the engine's")),
		setting("sandbox.env", "variables added to the image's environment", variables(),
			func(c *Config) *map[string]string { return &c.Sandbox.Env }, withDefault("none")),
		setting("sandbox.mount", "host directories bound into the sandbox, read-only unless :rw", mounts(),
			func(c *Config) *[]sandbox.Mount { return &c.Sandbox.Mounts }, trusted(), withDefault("none")),
		setting("sandbox.workspace_limit", "largest workspace that is copied in", size(1<<20),
			func(c *Config) *int64 { return &c.Workspace.MaxBytes }),
		setting("sandbox.artifact_limit", "size of all artifacts that are copied out", size(1<<10),
			func(c *Config) *int64 { return &c.Sandbox.OutBytes }),
		setting("sandbox.artifact_files", "most artifacts that are copied out", count[int](1, 1_000_000),
			func(c *Config) *int { return &c.Sandbox.OutFiles }),
		setting("sandbox.workspace_files", "most files of a workspace that is copied in", count[int](1, 100_000_000),
			func(c *Config) *int { return &c.Workspace.MaxFiles }),
	}
}

func runSettings() []Setting {
	return []Setting{
		setting("run.agent", "preset that says which agent works", text("name"),
			func(c *Config) *string { return &c.Run.Agent }),
		setting("run.tools", "tools that the agent gets beside its own, with commas between, such as terminal", text("names"),
			func(c *Config) *string { return &c.Run.Tools }, withDefault("none")),
		setting("run.max_turns", "model turns after which a run ends; 0 for the agent's own limit", count[int](0, math.MaxInt32),
			func(c *Config) *int { return &c.Run.MaxTurns }),
		setting("run.max_tokens", "tokens, in and out, after which a run ends; 0 for no limit", count[int](0, math.MaxInt),
			func(c *Config) *int { return &c.Run.MaxTokens }),
		setting("run.max_tokens_in", "tokens that the model reads in all, after which a run ends; 0 for no limit", count[int](0, math.MaxInt),
			func(c *Config) *int { return &c.Run.MaxTokensIn }),
		setting("run.max_tokens_out", "tokens that the model writes in all, after which a run ends; 0 for no limit", count[int](0, math.MaxInt),
			func(c *Config) *int { return &c.Run.MaxTokensOut }),
		setting("run.max_cost", "cost in US dollars after which a run ends, for models whose prices are known; 0 for no limit", dollars(),
			func(c *Config) *float64 { return &c.Run.MaxCost }, trusted()),
		setting("run.context_window", "tokens that the model reads and writes at a time; 0 for what is known of it", count[int](0, math.MaxInt32),
			func(c *Config) *int { return &c.Run.ContextWindow }),
		setting("run.summary", "what stands for turns that no longer fit the window: model for a text that the model is asked for, list for a line each", choice("summary", SummaryModel, SummaryList),
			func(c *Config) *Summary { return &c.Run.Summary }),
		setting("run.timeout", "wall time after which a run ends; 0 for no limit", duration(0),
			func(c *Config) *time.Duration { return &c.Run.Timeout }),
		setting("run.runs_dir", "directory that keeps the runs", file(),
			func(c *Config) *string { return &c.Run.RunsDir }, trusted(), withDefault("$XDG_STATE_HOME/drydock/runs")),
	}
}
