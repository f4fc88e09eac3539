package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"drydock/agents"
	"drydock/cmd/config"
	"drydock/sandbox/docker"
)

// foreseen is what a run would be made of. With --json it is printed as it is.
type foreseen struct {
	Task      string          `json:"task"`
	Repo      string          `json:"repo,omitempty"`
	Agent     string          `json:"agent"`
	Model     foreseenModel   `json:"model"`
	Settings  []shownEntry    `json:"settings"` // that are not the defaults
	Container json.RawMessage `json:"container"`
	Servers   []listedServer  `json:"mcp_servers"`
	System    string          `json:"system_prompt"`
	Tools     []listedTool    `json:"tools"` // without those of MCP servers
	Tokens    int             `json:"first_request_tokens"`
}

// foreseenModel is the model with what is known of it; 0 is unknown.
type foreseenModel struct {
	Name       string `json:"name"`
	Profile    string `json:"profile"`
	BaseURL    string `json:"base_url,omitempty"`
	Window     int    `json:"window"`
	Known      bool   `json:"known"`
	HasPrices  bool   `json:"has_prices"`
	CallsTools bool   `json:"calls_tools"`
}

// dryRun shows what a run would be made of, without an engine, a model or a key.
func dryRun(cmd *cobra.Command, streams Streams, flags runFlags, args []string) error {
	j, err := prepareInputs(cmd, streams, flags, args)
	if err != nil {
		return err
	}
	if err := j.knowModel(); err != nil {
		return err
	}
	f, err := j.foresee(cmd)
	if err != nil {
		return err
	}
	if flags.json {
		err = json.NewEncoder(streams.Out).Encode(f)
	} else {
		err = f.print(streams.Out)
	}
	if err != nil {
		return fmt.Errorf("print what would be run: %w", err)
	}
	return nil
}

func (j *job) foresee(cmd *cobra.Command) (foreseen, error) {
	f := foreseen{Task: j.task, Repo: j.repo, Agent: j.preset.Name, Servers: []listedServer{}}
	cfg, origins, err := loadOrigins(cmd)
	if err != nil {
		return f, err
	}
	f.Settings = shownEntries(showFlags{changed: true}.filter(config.Entries(cfg, origins)))
	if f.Container, err = docker.Describe(j.cfg.Sandbox); err != nil {
		return f, err
	}
	for _, s := range j.specs {
		f.Servers = append(f.Servers, listed(s))
	}
	agent, err := agents.Foresee(j.preset, j.cfg.Sandbox, j.task)
	if err != nil {
		return f, err
	}
	f.System, f.Tokens = agent.System, agent.Tokens
	for _, t := range agent.Tools {
		f.Tools = append(f.Tools, listedTool{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
	}
	f.Model, err = j.foreseeModel()
	return f, err
}

func (j *job) foreseeModel() (foreseenModel, error) {
	asked, err := j.models.settings(j.models.main)
	return foreseenModel{
		Name: j.modelName, Profile: j.models.main, BaseURL: withoutQuery(asked.BaseURL),
		Window: j.facts.Window, Known: j.facts.Known, HasPrices: j.facts.Prices != nil, CallsTools: j.facts.Tools,
	}, err
}

// print is for people: a heading for each part.
func (f foreseen) print(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Nothing is run. This is what a run would be made of.\n\nagent  %s\nmodel  %s (profile %s%s)\n", f.Agent, oneLineOf(f.Model.Name), f.Model.Profile, f.Model.facts())
	if f.Repo != "" {
		fmt.Fprintf(&b, "repo   %s\n", oneLineOf(f.Repo))
	}
	for _, s := range f.Servers {
		fmt.Fprintf(&b, "mcp    %s (%s, %s)\n", oneLineOf(s.Name), s.Transport, s.Where)
	}
	heading(&b, "Settings that are not the defaults")
	for _, s := range f.Settings {
		fmt.Fprintf(&b, "%s = %s  (%s)\n", s.Key, oneLineOf(s.Value), strings.TrimSpace(s.Origin+" "+oneLineOf(s.Where)))
	}
	heading(&b, "Container")
	if err := indent(&b, f.Container); err != nil {
		return err
	}
	heading(&b, fmt.Sprintf("System prompt (the first request has about %d tokens)", f.Tokens))
	b.WriteString(clean(f.System) + "\n")
	heading(&b, "Task")
	b.WriteString(clean(f.Task) + "\n")
	for _, t := range f.Tools {
		heading(&b, "Tool "+t.Name)
		b.WriteString(strings.TrimSpace(clean(t.Description)) + "\n")
		if err := indent(&b, t.Parameters); err != nil {
			return err
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (m foreseenModel) facts() string {
	text := ""
	if m.Window > 0 {
		text += ", a window of " + strconv.Itoa(m.Window) + " tokens"
	}
	if !m.Known {
		text += ", not in the table of models"
	}
	if !m.HasPrices {
		text += ", prices not known"
	}
	return text
}

func heading(b *strings.Builder, text string) { fmt.Fprintf(b, "\n== %s ==\n", text) }

func indent(b *strings.Builder, raw json.RawMessage) error {
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, raw, "", "  "); err != nil {
		return err
	}
	b.WriteString(clean(pretty.String()) + "\n")
	return nil
}
