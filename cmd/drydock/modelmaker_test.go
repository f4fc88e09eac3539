package main

import (
	"os"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/agents"
	"drydock/cmd/config"
	"drydock/internal/fakellm"
	"drydock/internal/redact"
	"drydock/runtime"
	"drydock/runtime/llm"
)

// making makes the main model of a user file, for an agent.
func making(t *testing.T, file string, preset agents.Preset) (llm.Model, *modelMaker, *[]runtime.Payload, error) {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, ".config", "drydock")
	assert.NilError(t, os.MkdirAll(dir, 0o700))
	assert.NilError(t, os.WriteFile(filepath.Join(dir, "config.toml"), []byte(file), 0o600))
	cfg, _, err := config.Load(config.Sources{Getenv: func(string) string { return "" }, Dir: home, Home: home})
	assert.NilError(t, err)
	var events []runtime.Payload
	maker := newModelMaker(cfg, preset, &redact.Secrets{}, func(p runtime.Payload) { events = append(events, p) }, nil)
	model, err := maker.makeMain(t.Context(), preset)
	return model, maker, &events, err
}

func section(name, model string, srv *fakellm.Server) string {
	return "[" + name + "]\nmodel = \"" + model + "\"\nbase_url = \"" + srv.URL() + "\"\napi_key = \"" + testKey + "\"\n"
}

func look() llm.Request {
	png := []byte("\x89PNG\r\n\x1a\n")
	return llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: "look", Images: []llm.Image{{MIME: "image/png", Data: png}}}}}
}

func TestWhichProfileAnAgentGets(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t)
	profiles := section("llm", "usual", srv) + "[llm.swe]\nmodel = \"for-swe\"\n[llm.fast]\nmodel = \"fast\"\n"
	for _, tt := range []struct {
		run    string
		preset agents.Preset
		want   string
	}{
		{"", agents.Preset{Name: "data"}, "usual"},
		{"", agents.Preset{Name: "swe"}, "for-swe"},
		{"", agents.Preset{Name: "swe", LLM: "fast"}, "fast"},
		{"llm = \"default\"", agents.Preset{Name: "swe", LLM: "fast"}, "usual"},
		{"llm = \"fast\"", agents.Preset{Name: "swe"}, "fast"},
	} {
		_, maker, _, err := making(t, profiles+"[run]\n"+tt.run+"\n", tt.preset)
		assert.NilError(t, err)
		assert.Equal(t, maker.name(), tt.want)
	}
	_, _, _, err := making(t, profiles+"[run]\nllm = \"fats\"\n", agents.Preset{Name: "swe"})
	assert.ErrorContains(t, err, "did you mean fast?")
	assert.Equal(t, exitCode(err), exitUsage)
}

// Pictures go to the profile vision where the main model takes none.
func TestTheVisionProfileIsReallyAsked(t *testing.T) {
	t.Parallel()
	main, vision := fakellm.New(t, fakellm.Text("main")), fakellm.New(t, fakellm.Text("seen"))
	file := section("llm", "deepseek-chat", main) + section("llm.vision", "gpt-4o", vision)
	model, maker, events, err := making(t, file, agents.Preset{Name: "swe"})
	assert.NilError(t, err)
	resp, err := model.Complete(t.Context(), look())
	assert.NilError(t, err)
	assert.Equal(t, resp.Message.Text, "seen")
	assert.Equal(t, len(vision.Requests()[0].Chat.Messages[0].Content.Images), 1)
	_, err = model.Complete(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: "read"}}})
	assert.NilError(t, err)
	assert.Equal(t, len(main.Requests()), 1)
	assert.Equal(t, len(*events), 2, "each model says once what is known of it")
	facts, ok := (*events)[0].(runtime.ModelFacts)
	assert.Assert(t, ok && facts.Known && facts.Images && facts.Model == "gpt-4o")
	assert.Equal(t, maker.facts("vision").Window, 128_000)
	assert.Equal(t, maker.facts(config.ProfileDefault).Prices.Input, 0.28)
	assert.Equal(t, maker.summary(), "")
}

func TestPicturesInWordsForAModelThatNobodyKnows(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Text("ok"), fakellm.Text("ok"))
	model, _, events, err := making(t, section("llm", "own", srv), agents.Preset{Name: "swe"})
	assert.NilError(t, err)
	for range 2 {
		_, err = model.Complete(t.Context(), look())
		assert.NilError(t, err)
	}
	assert.Equal(t, len(srv.Requests()[0].Chat.Messages[0].Content.Images), 0)
	assert.Equal(t, len(*events), 1)
	facts, ok := (*events)[0].(runtime.ModelFacts)
	assert.Assert(t, ok && !facts.Known)
}

func TestAModelWithoutToolsIsRefusedAtTheStart(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t)
	_, _, _, err := making(t, section("llm", "o1-mini", srv), agents.Preset{Name: "swe"})
	assert.ErrorContains(t, err, "model o1-mini cannot call tools")
	assert.Equal(t, exitCode(err), exitUsage)
	_, _, _, err = making(t, section("llm", "o1-mini", srv)+"tools = true\n", agents.Preset{Name: "swe"})
	assert.NilError(t, err)
	assert.Equal(t, len(srv.Requests()), 0)
}

func TestRolesOfTheirOwn(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Text("short"))
	file := section("llm", "gpt-4.1", srv) + "[llm.summary]\nmodel = \"gpt-4o-mini\"\n[llm.vision]\nmodel = \"gpt-4o\"\n[run]\nllm_vision = \"none\"\n"
	_, maker, _, err := making(t, file, agents.Preset{Name: "swe"})
	assert.NilError(t, err)
	assert.Equal(t, maker.summary(), "summary")
	model, err := maker.make(t.Context(), maker.summary())
	assert.NilError(t, err)
	_, err = model.Complete(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: "sum up"}}})
	assert.NilError(t, err)
	assert.Equal(t, srv.Requests()[0].Chat.Model, "gpt-4o-mini")
	srv.AssertKey(t, testKey)
	assert.Equal(t, len(maker.limiters), 1, "one server, one limiter")
}

func TestAzureByConfiguration(t *testing.T) {
	t.Parallel()
	srv := fakellm.New(t, fakellm.Text("ok"))
	file := section("llm", "gpt-4.1", srv) + "api_type = \"azure\"\ndeployment = \"prod\"\n"
	model, _, _, err := making(t, file, agents.Preset{Name: "swe"})
	assert.NilError(t, err)
	_, err = model.Complete(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: "hi"}}})
	assert.NilError(t, err)
	request := srv.Requests()[0]
	assert.Equal(t, request.Path, "/v1/openai/deployments/prod/chat/completions?api-version=2024-10-21")
	assert.Equal(t, request.Header.Get("Api-Key"), testKey)
}
