package runtime

import (
	"encoding/json"
	"time"

	"drydock/runtime/llm"
)

// SchemaVersion is the version of the event format. It grows when a field
// changes its meaning or goes; new fields do not change it.
const SchemaVersion = 1

// Event is one line of events.jsonl: the fields here and those of Data, side by
// side in one object.
type Event struct {
	Version int       `json:"v"`
	Seq     int64     `json:"seq"` // counts from 0 without gaps
	Time    time.Time `json:"ts"`
	RunID   string    `json:"run_id"`
	Type    string    `json:"type"`
	Data    Payload   `json:"-"`
}

// Payload is what an event says beyond its header.
type Payload interface{ EventType() string }

// MarshalJSON writes header and payload as one object.
func (e Event) MarshalJSON() ([]byte, error) {
	type header Event
	head, err := json.Marshal(header(e))
	if err != nil || e.Data == nil {
		return head, err
	}
	body, err := json.Marshal(e.Data)
	if err != nil || len(body) <= len("{}") {
		return head, err
	}
	return append(append(head[:len(head)-1], ','), body[1:]...), nil
}

// RunStarted is the first event of a run.
type RunStarted struct {
	Task   string `json:"task"`
	Agent  string `json:"agent"`
	Model  string `json:"model"`
	Image  string `json:"image"`
	Repo   string `json:"repo,omitempty"`
	Policy any    `json:"policy"`

	ImageID  string            `json:"image_id,omitempty"` // the image's content address
	Settings map[string]string `json:"settings,omitempty"` // what the run was configured with, without secrets
}

// SandboxReady says that the sandbox has been made and filled.
type SandboxReady struct {
	StartMS int64             `json:"start_ms"`
	CopyMS  int64             `json:"copy_ms"`
	Files   int               `json:"files"`
	Bytes   int64             `json:"bytes"`
	Missing map[string]string `json:"missing_tools,omitempty"` // tool: reason
	Digest  string            `json:"workspace_sha256"`        // of names, modes and contents of what was copied in
}

// SandboxReplaced says that a sandbox was lost and that the run goes on in a new
// one, with the workspace as it was at the start.
type SandboxReplaced struct {
	Reason  string `json:"reason"`
	StartMS int64  `json:"start_ms"`
	CopyMS  int64  `json:"copy_ms"`
}

// TurnStarted opens a step.
type TurnStarted struct {
	Turn int `json:"turn"`
}

// ModelMessage is an answer of the model.
type ModelMessage struct {
	Turn         int              `json:"turn"`
	Text         string           `json:"text,omitempty"`
	ToolCalls    []llm.ToolCall   `json:"tool_calls,omitempty"`
	FinishReason llm.FinishReason `json:"finish_reason,omitempty"`
	Model        string           `json:"model,omitempty"`
	Usage        llm.Usage        `json:"usage"`
	Discarded    llm.Usage        `json:"discarded,omitzero"` // part of Usage, billed for answers that were of no use
	LatencyMS    int64            `json:"latency_ms"`
}

// ModelRetry says that a failed model call will be tried again.
type ModelRetry struct {
	Attempt int    `json:"attempt"`
	WaitMS  int64  `json:"wait_ms"`
	Status  int    `json:"http_status,omitempty"`
	Reason  string `json:"reason"`
}

// ToolStarted opens a tool call.
type ToolStarted struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"` // as an object, or as a string when it is none
}

// ToolCompleted is the end of a tool call.
type ToolCompleted struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Status     string `json:"status"`
	ExitCode   *int   `json:"exit_code,omitempty"` // where a program was run
	DurationMS int64  `json:"duration_ms"`
	Bytes      int64  `json:"bytes"`   // printed, where a program was run
	Dropped    int64  `json:"dropped"` // bytes that Output does not show
	Output     string `json:"output"`  // as the model read it
	Images     int    `json:"images,omitempty"`
	Repaired   string `json:"repaired,omitempty"` // what was wrong with arguments that were almost JSON

	Raw *RawOutput `json:"raw,omitempty"` // where Output is not byte by byte what was printed
}

// RawOutput says where the bytes are that a call printed.
type RawOutput struct {
	File string `json:"file"` // in the run's directory: the start, then the end
	Head int    `json:"head"` // bytes of the start
	Tail int    `json:"tail"` // and of the end, 0 when the start is all
}

// Warning is something a person should know that ends nothing.
type Warning struct {
	Text string `json:"text"`
}

// PatchReady says what the run changed.
type PatchReady struct {
	Path      string   `json:"path"`
	Bytes     int64    `json:"bytes"`
	Files     int      `json:"files"`
	Additions int      `json:"additions"`
	Deletions int      `json:"deletions"`
	Notes     []string `json:"notes,omitempty"`
}

// ArtifactsReady says what was copied out of the sandbox on request.
type ArtifactsReady struct {
	Path    string   `json:"path"`
	Files   int      `json:"files"`
	Bytes   int64    `json:"bytes"`
	Skipped int      `json:"skipped"`           // entries that were not copied
	Reasons []string `json:"reasons,omitempty"` // of the first of them, with their paths
}

// RunEnded is the last event of a run, whichever way it ended.
type RunEnded struct {
	OK         bool      `json:"-"`
	Reason     Reason    `json:"reason"`
	ExitCode   int       `json:"exit_code"`
	Answer     string    `json:"answer,omitempty"`
	Error      string    `json:"error,omitempty"`
	Turns      int       `json:"turns"`
	ToolCalls  int       `json:"tool_calls"`
	Usage      llm.Usage `json:"usage"`
	Estimated  llm.Usage `json:"estimated_usage,omitzero"` // of answers for which the server counted no tokens
	CostUSD    *float64  `json:"cost_usd,omitempty"`       // for both, where prices are known
	DurationMS int64     `json:"duration_ms"`
	Patch      string    `json:"patch,omitempty"`
}

// EventType names the event.
func (RunStarted) EventType() string { return "run.started" }

// EventType names the event.
func (SandboxReady) EventType() string { return "sandbox.ready" }

// EventType names the event.
func (SandboxReplaced) EventType() string { return "sandbox.replaced" }

// EventType names the event.
func (TurnStarted) EventType() string { return "turn.started" }

// EventType names the event.
func (ModelMessage) EventType() string { return "model.message" }

// EventType names the event.
func (ModelRetry) EventType() string { return "model.retry" }

// EventType names the event.
func (ToolStarted) EventType() string { return "tool.started" }

// EventType names the event.
func (ToolCompleted) EventType() string { return "tool.completed" }

// EventType names the event.
func (Warning) EventType() string { return "warning" }

// EventType names the event.
func (PatchReady) EventType() string { return "patch.ready" }

// EventType names the event.
func (ArtifactsReady) EventType() string { return "artifacts.ready" }

// EventType tells success from failure, so that a reader of the last line needs
// to look no further.
func (e RunEnded) EventType() string {
	if e.OK {
		return "run.completed"
	}
	return "run.failed"
}
