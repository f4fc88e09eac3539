package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"

	"drydock/agents"
	"drydock/cmd/config"
	"drydock/internal/redact"
	"drydock/runtime"
	"drydock/runtime/llm"
	"drydock/runtime/llm/models"
	"drydock/runtime/llm/openai"
	"drydock/runtime/llm/route"
	"drydock/runtime/llm/script"
)

// scriptPrefix marks a model that plays recorded turns.
const scriptPrefix = "script:"

// modelMaker makes the models that the configuration names. Those of one server
// share its limits, whichever run they are for.
type modelMaker struct {
	cfg     config.Config
	main    string          // the profile of the model that does the work
	secrets *redact.Secrets // gets the keys
	emit    func(runtime.Payload)
	onText  func(string) // told what the main model says; nil for nobody

	limiters map[string]*openai.Limiter // by server
	keys     map[string]config.Secret   // by command: a person may be asked for each
}

func newModelMaker(cfg config.Config, preset agents.Preset, secrets *redact.Secrets, emit func(runtime.Payload), onText func(string)) *modelMaker {
	return &modelMaker{
		cfg: cfg, main: mainProfile(cfg, preset), secrets: secrets, emit: emit, onText: onText,
		limiters: map[string]*openai.Limiter{}, keys: map[string]config.Secret{},
	}
}

// mainProfile is what the person chose, or what the agent names, or the profile
// of the agent's own name, or [llm] itself.
func mainProfile(cfg config.Config, preset agents.Preset) string {
	name := cmp.Or(cfg.Run.LLM, preset.LLM)
	if name == "" && cfg.HasProfile(preset.Name) {
		name = preset.Name
	}
	return cmp.Or(name, config.ProfileDefault)
}

// roleProfile is the profile of a role beside the main one, empty for none.
func (m *modelMaker) roleProfile(chosen, usual string) string {
	switch {
	case chosen == config.ProfileNone:
		return ""
	case chosen == "" && m.cfg.HasProfile(usual):
		return usual
	}
	return chosen
}

// summary is the profile for summaries, empty to use the main model.
func (m *modelMaker) summary() string { return m.roleProfile(m.cfg.Run.LLMSummary, "summary") }

// makeMain makes the model that does the work, with the one that sees for it. It
// is asked for before anything is started, so that a missing key costs nothing.
func (m *modelMaker) makeMain(ctx context.Context, preset agents.Preset) (llm.Model, error) {
	model, err := m.make(ctx, m.main)
	if err != nil {
		return nil, err
	}
	facts := m.facts(m.main)
	if !facts.Tools && preset.ToolChoice != llm.ToolChoiceNone {
		return nil, usageError{fmt.Errorf("model %s cannot call tools, and agent %s needs them: choose another with --model or --llm, or write tools = true in its section if it can",
			m.name(), preset.Name)}
	}
	var vision llm.Model
	if name := m.roleProfile(m.cfg.Run.LLMVision, "vision"); name != "" && name != m.main {
		if vision, err = m.make(ctx, name); err != nil {
			return nil, err
		}
	}
	return route.New(model, vision, facts.Images), nil
}

// name is the main model's, as the server knows it.
func (m *modelMaker) name() string {
	l, err := m.settings(m.main)
	if err != nil {
		return m.main
	}
	return l.Model
}

// make makes the model of a profile, which default is [llm]. Whoever has the
// name of the main one gets it with the flags.
func (m *modelMaker) make(ctx context.Context, profile string) (llm.Model, error) {
	l, err := m.settings(profile)
	if err != nil {
		return nil, err
	}
	if path, ok := strings.CutPrefix(l.Model, scriptPrefix); ok {
		model, err := script.Load(path)
		if err != nil {
			return nil, usageError{err}
		}
		return model, nil
	}
	key, err := m.key(ctx, l)
	if err != nil {
		return nil, keyError{err}
	}
	m.secrets.Add("the model's key", key.Reveal())
	knowAddress(m.secrets, l.BaseURL)
	model, err := openai.New(m.openai(l, profile, key))
	if err != nil {
		return nil, err
	}
	return &announced{Model: model, say: func() { m.announce(l) }}, nil
}

// facts are what is known of the model of a profile. A script can do everything.
func (m *modelMaker) facts(profile string) llm.Facts {
	l, err := m.settings(profile)
	if err != nil {
		return llm.Facts{}
	}
	if strings.HasPrefix(l.Model, scriptPrefix) {
		return llm.Facts{Known: true, Images: true, Tools: true, ParallelTools: true}
	}
	return specOf(l).Facts
}

func (m *modelMaker) settings(profile string) (config.LLM, error) {
	if profile == m.main {
		return m.cfg.MainProfile(profile)
	}
	return m.cfg.Profile(profile)
}

func (m *modelMaker) key(ctx context.Context, l config.LLM) (config.Secret, error) {
	if key, ok := m.keys[l.APIKeyCommand]; ok && l.APIKeyCommand != "" {
		return key, nil
	}
	key, err := l.Key(ctx)
	if err == nil {
		m.keys[l.APIKeyCommand] = key
	}
	return key, err
}

// announce records what is known of a model.
func (m *modelMaker) announce(l config.LLM) {
	facts := specOf(l).Facts
	event := runtime.ModelFacts{
		Model: l.Model, Known: facts.Known, Window: facts.Window, MaxOutput: facts.MaxOutput,
		Images: facts.Images, Tools: facts.Tools,
	}
	if facts.Prices != nil {
		event.PricesOf = facts.Prices.AsOf
	}
	m.emit(event)
}

// announced says something when it is asked for the first time.
type announced struct {
	llm.Model
	once sync.Once
	say  func()
}

// Complete implements llm.Model.
func (a *announced) Complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	a.once.Do(a.say)
	return a.Model.Complete(ctx, req)
}

// specOf is what the table knows of a model and what the person says of it.
func specOf(l config.LLM) models.Spec {
	f := l.Facts
	over := models.Override{
		Window: f.Window, MaxOutput: f.MaxOutput, Images: f.Images, Tools: f.Tools, ParallelTools: f.ParallelTools,
		Refuses: f.Refuses,
	}
	if p := f.Prices; p != nil {
		over.Prices = &llm.Prices{Input: p.Input, Cached: p.Cached, Output: p.Output}
	}
	return models.Lookup(l.Model).With(over)
}
