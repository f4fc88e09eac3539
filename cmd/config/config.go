// Package config is the configuration of the command line: what flags, the
// environment and two TOML files say, brought together by one table.
//
// The strongest layer wins: flag, environment, the profile chosen with
// --profile, project file (drydock.toml in the current directory, or the file
// given with --config in its place), user file, default. Every setting has one name in all of them. What a project
// file says comes from whoever wrote the repository, so it cannot reach the
// key, the endpoint, the host's files or the network.
package config

import (
	"time"

	"drydock/sandbox"
)

// Config is the configuration of one invocation, complete and checked.
type Config struct {
	LLM LLM
	// Sandbox is the policy. Its Image is empty unless one was configured:
	// the agent's own image is used then.
	Sandbox   sandbox.Policy
	Workspace Workspace
	Run       Run
	MCP       []MCPServer // the weakest layer first

	Files    []Origin       // that were read, the weakest first
	Profiles []string       // names of [profiles.NAME], sorted
	Commands []CommandFlags // the weakest layer first

	profiles profiles
}

// Workspace bounds what is copied into a sandbox.
type Workspace struct {
	MaxBytes int64
	MaxFiles int
}

// Run bounds a run and says where it is kept.
type Run struct {
	Agent         string
	Tools         string  // beside the agent's own, with commas between
	MaxTurns      int     // 0 for the agent's own limit
	MaxTokens     int     // in and out together; 0 for no limit
	MaxTokensIn   int     // read by the model; 0 for no limit
	MaxTokensOut  int     // written by it; 0 for no limit
	MaxCost       float64 // US dollars; 0 for no limit
	ContextWindow int     // tokens; 0 for what is known of the model
	Summary       Summary
	Timeout       time.Duration // wall time of the run; 0 for no limit
	RunsDir       string        // absolute

	// The profiles of the roles; empty for what is usual.
	LLM, LLMVision, LLMSummary string
}

// Summary says what stands for turns that no longer fit the model's window.
type Summary string

// The two ways.
const (
	SummaryModel Summary = "model" // a text that the model is asked for
	SummaryList  Summary = "list"  // a line for each step
)

// Default is the configuration where nobody configured anything. Its RunsDir
// is empty, because that depends on the environment.
func Default() Config {
	policy := sandbox.DefaultPolicy()
	policy.Image = ""
	return Config{
		LLM: LLM{
			Model: "gpt-4.1", APIType: APITypeOpenAI, Stream: true,
			Timeout: 5 * time.Minute, IdleTimeout: 3 * time.Minute, MaxAttempts: 8, MaxRetryTime: 10 * time.Minute,
		},
		Sandbox:   policy,
		Workspace: Workspace{MaxBytes: 1 << 30, MaxFiles: 200_000},
		Run:       Run{Agent: "swe", Timeout: 4 * time.Hour, Summary: SummaryModel},
	}
}
