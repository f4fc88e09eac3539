package agents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"drydock/runtime"
	"drydock/runtime/llm"
	"drydock/runtime/memory"
	"drydock/tools"
)

// Agent is one conversation between a model and its tools. It implements
// runtime.Stepper. It is not safe for concurrent use.
type Agent struct {
	model  llm.Model
	tools  Toolbox
	preset Preset
	emit   func(runtime.Payload)
	finish Finish

	outputs *runtime.Outputs // nil to keep none

	memory *memory.Memory
	bounds Bounds
	empty  int // answers in a row without text and calls
}

// Toolbox is what an agent needs of a set of tools.
type Toolbox interface {
	Specs() []tools.Spec
	Call(ctx context.Context, name, arguments string) (tools.Result, error)
}

// Finish decides when a tool call ends the run. The three can be replaced one
// by one, which is how an agent gets another way to finish.
type Finish struct {
	// Names are the tools that may end a run.
	Names []string
	// IsSpecial says whether a tool is one of them.
	IsSpecial func(name string, names []string) bool
	// ShouldFinish says whether a special tool's result ends the run, and how.
	ShouldFinish func(name string, r tools.Result) *runtime.Done
}

// DefaultFinish ends a run on an accepted terminate.
func DefaultFinish() Finish {
	return Finish{
		Names: []string{"terminate"},
		IsSpecial: func(name string, names []string) bool {
			for _, n := range names {
				if strings.EqualFold(n, name) {
					return true
				}
			}
			return false
		},
		ShouldFinish: func(_ string, r tools.Result) *runtime.Done {
			if r.Final == nil {
				return nil
			}
			return &runtime.Done{Success: r.Final.Success, Answer: r.Final.Answer}
		},
	}
}

// NewAgent makes an agent for a task. The system prompt is filled in from data.
func NewAgent(model llm.Model, box Toolbox, preset Preset, data PromptData, task string, emit func(runtime.Payload)) (*Agent, error) {
	system, err := render(preset.System, data)
	if err != nil {
		return nil, fmt.Errorf("agent %s: %w", preset.Name, err)
	}
	a := &Agent{
		model: model, tools: box, preset: preset, emit: emit, finish: DefaultFinish(),
		memory: memory.New(system, task),
	}
	return a, a.Bound(Bounds{})
}

// KeepOutputs makes the agent keep the raw output of calls whose rendering
// differs from it.
func (a *Agent) KeepOutputs(o *runtime.Outputs) { a.outputs = o }

// Step thinks once and acts on it.
func (a *Agent) Step(ctx context.Context, n int) (runtime.Step, error) {
	a.emit(runtime.TurnStarted{Turn: n})
	var step runtime.Step
	resp, err := a.think(ctx, n, &step)
	if err != nil {
		return step, err
	}
	if len(resp.Message.ToolCalls) == 0 {
		step.Done, err = a.conclude(resp)
		step.Fingerprint = fingerprint(resp.Message.Text)
		return step, err
	}
	a.empty = 0
	err = a.act(ctx, resp, &step)
	return step, err
}

// think asks the model once, and counts what that takes.
func (a *Agent) think(ctx context.Context, n int, step *runtime.Step) (llm.Response, error) {
	began := time.Now()
	resp, err := a.ask(ctx, n, step)
	if err != nil {
		return llm.Response{}, fmt.Errorf("ask the model: %w", err)
	}
	a.memory.Add(resp.Message)
	a.emit(runtime.ModelMessage{
		Turn: n, Text: resp.Message.Text, ToolCalls: resp.Message.ToolCalls, FinishReason: resp.FinishReason,
		Model: resp.Model, Usage: resp.Billed(), Discarded: resp.Discarded, LatencyMS: time.Since(began).Milliseconds(),
	})
	return resp, nil
}

// offers are the tools as the model is told of them.
func (a *Agent) offers() []llm.ToolSpec {
	var list []llm.ToolSpec
	for _, s := range a.tools.Specs() {
		list = append(list, llm.ToolSpec{Name: s.Name, Description: s.Description, Parameters: s.Parameters})
	}
	return list
}

// maxEmpty is how many empty answers in a row an agent puts up with.
const maxEmpty = 3

// conclude handles an answer without tool calls: its text ends the run.
func (a *Agent) conclude(resp llm.Response) (*runtime.Done, error) {
	text := strings.TrimSpace(resp.Message.Text)
	switch {
	case resp.FinishReason == llm.FinishRefused:
		return &runtime.Done{Answer: text}, nil
	case resp.FinishReason == llm.FinishLength:
		a.say("Your answer was cut off by the output limit. Go on in smaller steps.")
	case text == "":
		a.say("Your answer was empty. Call a tool, or call terminate if the task is over.")
	case a.preset.ToolChoice == llm.ToolChoiceRequired:
		a.say("Every answer must call a tool. Call terminate if the task is over.")
	default:
		return &runtime.Done{Success: true, Answer: text}, nil
	}
	if a.empty++; a.empty >= maxEmpty {
		return nil, fmt.Errorf("the model gave %d answers in a row without a tool call that could be used", a.empty)
	}
	return nil, nil
}

// say adds a message of ours to the conversation.
func (a *Agent) say(text string) {
	a.memory.Add(llm.Message{Role: llm.RoleUser, Text: text})
}

// Nudge tells the model that it is going in circles.
func (a *Agent) Nudge(reason string) {
	a.say(reason + " Try something different, or call terminate with status \"failure\" and say why.")
	a.emit(runtime.Warning{Text: "the agent repeats itself; it was told so"})
}

// fingerprint condenses what was done and what came of it.
func fingerprint(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		_, _ = fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// asJSON keeps arguments readable in events: an object where they are JSON, a
// string where they are not.
func asJSON(arguments string) json.RawMessage {
	if json.Valid([]byte(arguments)) {
		return json.RawMessage(arguments)
	}
	raw, err := json.Marshal(arguments)
	if err != nil {
		return nil
	}
	return raw
}
