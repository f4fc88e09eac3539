package config_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/cmd/config"
)

func profile(t *testing.T, cfg config.Config, name string) config.LLM {
	t.Helper()
	llm, err := cfg.Profile(name)
	assert.NilError(t, err)
	return llm
}

func TestAProfileInheritsWhatItDoesNotSay(t *testing.T) {
	w := newWorld(t)
	w.user(`[llm]
model = "big"
api_key = "` + aKey + `"
temperature = 0.5
window = 1000
[llm.small]
model = "small"
stream = false
max_attempts = 2
[llm.patient]
model_timeout = "20m"
`)
	cfg, _ := w.mustLoad()
	small := profile(t, cfg, "small")
	assert.Equal(t, small.Profile, "small")
	assert.Equal(t, small.Model, "small")
	assert.Equal(t, small.APIKey.Reveal(), aKey)
	assert.Equal(t, *small.Temperature, 0.5)
	assert.Equal(t, small.MaxAttempts, 2)
	assert.Assert(t, !small.Stream && cfg.LLM.Stream)
	assert.Assert(t, small.Facts.Window == nil, "that was said of another model")

	patient := profile(t, cfg, "patient")
	assert.Equal(t, patient.Model, "big")
	assert.Equal(t, patient.Timeout, 20*time.Minute)
	assert.Equal(t, *patient.Facts.Window, 1000)
	assert.Equal(t, profile(t, cfg, config.ProfileDefault).Model, "big")
	assert.Assert(t, cfg.HasProfile("small") && !cfg.HasProfile("default") && !cfg.HasProfile("vision"))
}

// A key goes only to the server it was meant for.
func TestNoKeyIsInheritedByAnotherServer(t *testing.T) {
	w := newWorld(t)
	w.env["OPENAI_API_KEY"] = aKey
	w.user(`[llm.local]
base_url = "http://localhost:11434/v1"
[llm.gateway]
base_url = "https://gateway.example/v1"
api_key_env = "GATEWAY_KEY"
[llm.same]
model = "other"
`)
	t.Setenv("GATEWAY_KEY", "sk-gateway-0123")
	cfg, _ := w.mustLoad()
	for name, want := range map[string]string{"local": "", "gateway": "sk-gateway-0123", "same": aKey} {
		key, err := profile(t, cfg, name).Key(context.Background())
		assert.NilError(t, err)
		assert.Equal(t, key.Reveal(), want, name)
	}
}

func TestAnEmptyKeyVariableIsTold(t *testing.T) {
	w := newWorld(t)
	w.user("[llm.x]\napi_key_env = \"DRYDOCK_TEST_NO_SUCH_KEY\"\n")
	cfg, _ := w.mustLoad()
	_, err := profile(t, cfg, "x").Key(context.Background())
	assert.Error(t, err, "llm.x.api_key_env: it gave no key: what it gave is empty")
}

// Flags are for the model that does the work, whichever profile that is.
func TestFlagsGoOverTheMainProfile(t *testing.T) {
	w := newWorld(t)
	w.user("[llm.small]\nmodel = \"small\"\ntemperature = 0.1\nwindow = 10\n")
	w.args = []string{"--llm", "small", "--temperature", "0.9", "--stream=false"}
	cfg, _ := w.mustLoad()
	assert.Equal(t, cfg.Run.LLM, "small")
	main, err := cfg.MainProfile(cfg.Run.LLM)
	assert.NilError(t, err)
	assert.Equal(t, main.Model, "small")
	assert.Equal(t, *main.Temperature, 0.9)
	assert.Assert(t, !main.Stream)
	assert.Equal(t, *main.Facts.Window, 10)
	assert.Equal(t, *profile(t, cfg, "small").Temperature, 0.1)

	w.args = []string{"--model", "other"}
	cfg, _ = w.mustLoad()
	main, err = cfg.MainProfile("small")
	assert.NilError(t, err)
	assert.Equal(t, main.Model, "other")
	assert.Assert(t, main.Facts.Window == nil)
}

// What is said of a model is not said of the one that a stronger layer names.
func TestFactsGoWithTheirModel(t *testing.T) {
	w := newWorld(t)
	w.user("[llm]\nmodel = \"own\"\nwindow = 10\nprices = {input = 1, output = 2.5}\n")
	cfg, _ := w.mustLoad()
	assert.Equal(t, *cfg.LLM.Facts.Window, 10)
	assert.Equal(t, *cfg.LLM.Facts.Prices, config.Prices{Input: 1, Cached: 1, Output: 2.5})
	w.env["OPENAI_MODEL"] = "own"
	cfg, _ = w.mustLoad()
	assert.Equal(t, *cfg.LLM.Facts.Window, 10)
	w.env["OPENAI_MODEL"] = "other"
	cfg, origins := w.mustLoad()
	assert.Assert(t, cfg.LLM.Facts.Window == nil && cfg.LLM.Facts.Prices == nil)
	assert.Equal(t, origins["llm.window"].String(), "default")
}

func TestAProjectFileMayChooseAndTune(t *testing.T) {
	w := newWorld(t)
	w.user("[llm.small]\nmodel = \"small\"\nbase_url = \"http://localhost:1/v1\"\napi_key = \"" + aKey + "\"\n")
	w.project("[llm.small]\ntemperature = 0\n[llm.mine]\nmodel = \"mine\"\n[run]\nllm = \"small\"\n")
	cfg, _ := w.mustLoad()
	assert.Equal(t, cfg.Run.LLM, "small")
	small := profile(t, cfg, "small")
	assert.Equal(t, *small.Temperature, 0.0)
	assert.Equal(t, small.APIKey.Reveal(), aKey)
	assert.Equal(t, profile(t, cfg, "mine").Model, "mine")
}

// Nor may it reach, through a profile, what it may not reach in [llm].
func TestAProjectFileMayNotInAProfile(t *testing.T) {
	for key, line := range map[string]string{
		"api_key":             `api_key = "sk-1"`,
		"api_key_file":        `api_key_file = "/etc/passwd"`,
		"api_key_command":     `api_key_command = "touch /tmp/owned"`,
		"api_key_env":         `api_key_env = "GITHUB_TOKEN"`,
		"base_url":            `base_url = "http://evil.example/v1"`,
		"api_type":            `api_type = "azure"`,
		"api_version":         `api_version = "1"`,
		"deployment":          `deployment = "x"`,
		"model":               `model = "script:turns.jsonl"`,
		"prices":              `prices = {input = 0, output = 0}`,
		"tokens_per_minute":   `tokens_per_minute = 1`,
		"requests_per_minute": `requests_per_minute = 1`,
	} {
		for _, section := range []string{"llm", "llm.small"} {
			w := newWorld(t)
			w.user("[llm.small]\nmodel = \"small\"\n")
			w.project("[" + section + "]\n" + line + "\n")
			assert.Equal(t, w.refused(), "DIR/drydock.toml: "+section+"."+key+
				": a project file may not set this; set it in HOME/.config/drydock/config.toml, the environment or with --config")
			w.args = []string{"--config", filepath.Join(w.dir, "drydock.toml")}
			w.mustLoad()
		}
	}
}

func TestMistakesInProfiles(t *testing.T) {
	for text, want := range map[string]string{
		"[llm.small]\nmodl = \"x\"\n":                          "llm.small.modl: there is no such key; did you mean model?",
		"[llm.small]\ntemperature = 3\n":                       `llm.small.temperature: "3" is not allowed; write a number, 0 to 2`,
		"[llm.\"a b\"]\nmodel = \"x\"\n":                       "llm.a b: a profile cannot have this name",
		"[llm.default]\nmodel = \"x\"\n":                       "llm.default: a profile cannot have this name",
		"[llm.none]\nmodel = \"x\"\n":                          "llm.none: a profile cannot have this name",
		"[llm]\nsmall = 3\n":                                   "llm.small: there is no such key",
		"[llm.model]\nname = \"x\"\n":                          "llm.model: it must be a string, not a table",
		"[llm.a]\napi_key = \"x\"\napi_key_env = \"Y\"\n":      "llm.api_key is set as well; keep one of them",
		"[llm.a]\nimages = \"yes\"\n":                          `llm.a.images: "yes" is not allowed; write true or false`,
		"[llm.a]\nimages = 1\n":                                "llm.a.images: it must be a boolean, not a number",
		"[llm.a]\nwindow = 0\n":                                `llm.a.window: "0" is not allowed`,
		"[llm.a]\nrefuses = [\"top_p\"]\n":                     `llm.a.refuses: "top_p" is not a parameter; allowed are temperature and max_tokens`,
		"[llm.a]\nprices = {input = 1}\n":                      "llm.a.prices: input and output are both needed",
		"[llm.a]\nprices = {input = 1, output = 2, day = 3}\n": `llm.a.prices: "day" is not a price`,
		"[llm.a]\nprices = {input = -1, output = 2}\n":         `llm.a.prices: input: "-1" is not allowed`,
		"[llm.a]\napi_type = \"aws\"\n":                        `llm.a.api_type: "aws" is not a kind of server; allowed are openai and azure`,
		"[run]\nllm = \"a b\"\n":                               `run.llm: "a b" is not the name of a profile`,
		"[llm.a.b]\nmodel = \"x\"\n":                           "llm.a.b: there is no such key",
	} {
		w := newWorld(t)
		w.user(text)
		assert.Assert(t, strings.Contains(w.refused(), want), "%q gives %s", text, w.refused())
	}
}

func TestAProfileThatIsNotThere(t *testing.T) {
	w := newWorld(t)
	w.user("[llm.small]\nmodel = \"x\"\n")
	cfg, _ := w.mustLoad()
	_, err := cfg.Profile("smal")
	assert.Error(t, err, "llm.smal: there is no such profile; did you mean small?; the profiles are: default, small")
}

func TestAllVariablesThatHoldKeysAreKnown(t *testing.T) {
	w := newWorld(t)
	w.user("[llm.router]\nbase_url = \"http://localhost/v1\"\napi_key_env = \"ROUTER_KEY\"\n[llm.other]\nmodel = \"x\"\n")
	cfg, _ := w.mustLoad()
	assert.DeepEqual(t, cfg.KeyVariables(), []string{"OPENAI_API_KEY", "ROUTER_KEY"})
}
