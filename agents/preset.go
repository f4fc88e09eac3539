// Package agents is think and act over tools: the agent that turns a model's
// answers into tool calls and their results into messages, the presets that
// describe agents as data, and the session that gives an agent its sandbox.
package agents

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"
	"text/template"

	"github.com/BurntSushi/toml"

	"drydock/runtime/llm"
	"drydock/sandbox"
	"drydock/sandbox/wire"
	"drydock/tools"
	"drydock/tools/terminal"
)

//go:embed presets
var builtin embed.FS

// Preset describes an agent as data: preset.toml, and its prompts beside it.
type Preset struct {
	Name             string         `toml:"name"`
	Description      string         `toml:"description"`
	Image            string         `toml:"image"`             // default image of its sandbox
	LLM              string         `toml:"llm"`               // profile of its model; empty for the one of its name, or the usual one
	Tools            []string       `toml:"tools"`             // in the order they are offered
	ToolChoice       llm.ToolChoice `toml:"tool_choice"`       // auto, required or none
	MaxSteps         int            `toml:"max_steps"`         // model turns
	ObservationLimit int            `toml:"observation_limit"` // bytes of output a tool result shows

	System   string `toml:"-"` // system.md, a template over PromptData
	NextStep string `toml:"-"` // next_step.md, said before each turn; optional
}

// PromptData is what prompts can refer to.
type PromptData struct {
	Workdir string            // the directory the tools really see
	Shell   string            // bash or sh
	Network string            // none or full
	Missing map[string]string // tools that are not offered, and why
	// Terminal says that programs can be used on a terminal.
	Terminal bool
	// Servers is what the MCP servers say of themselves; "" for nothing.
	Servers string
}

// promptData is what prompts can say of a sandbox with its tools.
func promptData(policy sandbox.Policy, hello wire.Hello, box *tools.Registry) PromptData {
	return PromptData{
		Workdir: policy.Workdir, Shell: hello.ShellIs, Network: string(policy.Network),
		Missing: box.Withheld(), Terminal: box.Offers(terminal.Name),
	}
}

// PresetNames lists the presets there are.
func PresetNames() []string {
	entries, err := builtin.ReadDir("presets")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	sort.Strings(names)
	return names
}

// LoadPreset reads a preset by its name.
func LoadPreset(name string) (Preset, error) {
	dir := path.Join("presets", name)
	raw, err := builtin.ReadFile(path.Join(dir, "preset.toml"))
	if errors.Is(err, fs.ErrNotExist) || strings.ContainsRune(name, '/') {
		return Preset{}, fmt.Errorf("there is no agent %q; the agents are: %s", name, strings.Join(PresetNames(), ", "))
	}
	if err != nil {
		return Preset{}, fmt.Errorf("read agent %s: %w", name, err)
	}
	var p Preset
	meta, err := toml.Decode(string(raw), &p)
	if err != nil {
		return Preset{}, fmt.Errorf("read agent %s: %w", name, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return Preset{}, fmt.Errorf("read agent %s: unknown key %s", name, unknown[0])
	}
	if p.System, err = prompt(path.Join(dir, "system.md")); err != nil {
		return Preset{}, fmt.Errorf("read agent %s: %w", name, err)
	}
	if p.NextStep, err = prompt(path.Join(dir, "next_step.md")); err != nil {
		return Preset{}, fmt.Errorf("read agent %s: %w", name, err)
	}
	return p, p.validate()
}

// WithTools is the preset with more tools, offered before its own last one, which
// ends the run. Those it has already are left as they are.
func (p Preset) WithTools(names []string) (Preset, error) {
	tools := slices.Clone(p.Tools)
	for _, name := range names {
		if !slices.Contains(ToolNames(), name) {
			return Preset{}, fmt.Errorf("there is no tool %q; the tools are: %s", name, strings.Join(ToolNames(), ", "))
		}
		if !slices.Contains(tools, name) {
			tools = slices.Insert(tools, max(len(tools)-1, 0), name)
		}
	}
	p.Tools = tools
	return p, nil
}

func prompt(file string) (string, error) {
	raw, err := builtin.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(raw), err
}

func (p Preset) validate() error {
	switch p.ToolChoice {
	case "", llm.ToolChoiceAuto, llm.ToolChoiceRequired, llm.ToolChoiceNone:
	default:
		return fmt.Errorf("agent %s: tool_choice is %q; it must be auto, required or none", p.Name, p.ToolChoice)
	}
	if p.System == "" {
		return fmt.Errorf("agent %s has no system.md", p.Name)
	}
	if len(p.Tools) == 0 {
		return fmt.Errorf("agent %s has no tools", p.Name)
	}
	return nil
}

// render fills a prompt in.
func render(text string, data PromptData) (string, error) {
	t, err := template.New("prompt").Option("missingkey=error").Parse(text)
	if err != nil {
		return "", fmt.Errorf("read prompt: %w", err)
	}
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return "", fmt.Errorf("fill in prompt: %w", err)
	}
	return strings.TrimSpace(b.String()), nil
}
