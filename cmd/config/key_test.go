package config_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"gotest.tools/v3/assert"

	"drydock/cmd/config"
)

const aKey = "sk-hush-0123456789"

func TestKeyFromEveryPlace(t *testing.T) {
	for name, set := range map[string]func(w *world){
		"variable":         func(w *world) { w.env["OPENAI_API_KEY"] = " " + aKey + "\n" },
		"user file":        func(w *world) { w.user("[llm]\napi_key = \"" + aKey + "\"\n") },
		"file by variable": func(w *world) { w.env["OPENAI_API_KEY_FILE"] = "key" },
		"file by setting":  func(w *world) { w.user("[llm]\napi_key_file = \"" + filepath.Join(w.dir, "key") + "\"\n") },
		"command":          func(w *world) { w.user("[llm]\napi_key_command = \"echo " + aKey + "\"\n") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(filepath.Join(w.dir, "key"), aKey+"\n")
			set(w)
			cfg, _ := w.mustLoad()
			key, err := cfg.LLM.Key(context.Background())
			assert.NilError(t, err)
			assert.Equal(t, key.Reveal(), aKey)
		})
	}
}

func TestNoKeyIsNoMistake(t *testing.T) {
	cfg, _ := newWorld(t).mustLoad()
	key, err := cfg.LLM.Key(context.Background())
	assert.NilError(t, err)
	assert.Assert(t, !key.IsSet())
}

func TestStrongerKeyReplacesAnotherKind(t *testing.T) {
	w := newWorld(t)
	w.user("[llm]\napi_key_command = \"false\"\n")
	w.env["OPENAI_API_KEY"] = aKey
	cfg, origins := w.mustLoad()
	key, err := cfg.LLM.Key(context.Background())
	assert.NilError(t, err)
	assert.Equal(t, key.Reveal(), aKey)
	assert.Equal(t, origins["llm.api_key_command"].String(), "default")
}

func TestTwoKeysOfOneLayerAreRefused(t *testing.T) {
	w := newWorld(t)
	w.env["OPENAI_API_KEY"], w.env["OPENAI_API_KEY_FILE"] = aKey, "key"
	assert.Equal(t, w.refused(), "the environment: llm.api_key_file: llm.api_key is set as well; keep one of them")
}

func TestKeyThatCannotBeHad(t *testing.T) {
	for name, tt := range map[string]struct{ setting, want string }{
		"no file":         {`api_key_file = "/nosuch/key"`, "llm.api_key_file: read the key: open /nosuch/key: no such file or directory"},
		"empty":           {`api_key_command = "true"`, "llm.api_key_command: it gave no key: what it gave is empty"},
		"failed":          {`api_key_command = "echo ` + aKey + `; echo locked >&2; exit 3"`, "llm.api_key_command: the command failed: exit status 3: locked"},
		"two lines":       {`api_key_command = "echo ` + aKey + `; echo more"`, "llm.api_key_command: the key contains a space, a line break or a special character"},
		"endless command": {`api_key_command = "head -c 70000 /dev/zero"`, "llm.api_key_command: the command printed more than 65536 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.user("[llm]\n" + tt.setting + "\n")
			cfg, _ := w.mustLoad()
			_, err := cfg.LLM.Key(context.Background())
			assert.Error(t, err, tt.want)
		})
	}
}

func TestKeyCommandEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := config.LLM{APIKeyCommand: "sleep 60"}.Key(ctx)
	assert.ErrorContains(t, err, "the command was stopped")
}

func TestKeyIsNeverPrinted(t *testing.T) {
	w := newWorld(t)
	w.env["OPENAI_API_KEY"] = aKey
	cfg, _ := w.mustLoad()
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%p"} {
		fmt.Fprintf(&out, verb+"\n", cfg)
		fmt.Fprintf(&out, verb+"\n", &cfg)
		fmt.Fprintf(&out, verb+"\n", cfg.LLM.APIKey)
		fmt.Fprintf(&out, verb+"\n", struct{ hidden config.Secret }{cfg.LLM.APIKey})
	}
	assert.NilError(t, json.NewEncoder(&out).Encode(cfg))
	assert.NilError(t, json.NewEncoder(&out).Encode(map[string]any{"k": &cfg.LLM.APIKey}))
	assert.NilError(t, toml.NewEncoder(&out).Encode(cfg.LLM))
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "cfg", cfg, "key", cfg.LLM.APIKey)
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "cfg", cfg, "key", cfg.LLM.APIKey)
	for _, s := range config.Settings() {
		fmt.Fprintln(&out, s.Key(), s.Value(cfg), s.Default)
	}
	assert.Assert(t, strings.Contains(out.String(), "set (18 characters)"))
	for _, part := range []string{aKey, "hush", fmt.Sprintf("%x", aKey), fmt.Sprintf("%X", aKey)} {
		assert.Assert(t, !strings.Contains(out.String(), part), "%q is in the output", part)
	}
}

func TestNoErrorShowsAKeyOrPassword(t *testing.T) {
	w := newWorld(t)
	w.env["OPENAI_API_KEY"] = "sk-hush with space"
	w.env["OPENAI_BASE_URL"] = "ftp://user:hush@example.org/"
	w.args = []string{"--env", "hush", "--env", "A=hush"}
	_, _, err := w.load()
	assert.ErrorContains(t, err, "OPENAI_API_KEY: the key contains a space")
	assert.Assert(t, !strings.Contains(err.Error(), "hush"), err.Error())

	w = newWorld(t)
	w.env["OPENAI_BASE_URL"] = "https://user:hush@example.org/v1/"
	cfg, _ := w.mustLoad()
	assert.Equal(t, cfg.LLM.BaseURL, "https://user:hush@example.org/v1")
	for _, s := range config.Settings() {
		assert.Assert(t, !strings.Contains(s.Value(cfg), "hush"), s.Key())
	}
}

// A key without quotes is not TOML, and the parser repeats words that it does
// not know.
func TestNoSyntaxErrorShowsAKey(t *testing.T) {
	for _, value := range []string{
		"hush", `"hush`, "'hush", "'''hush", `"hu\sh"`, "thush", "hush = 1", "[hush", "{hush",
		"48151623424815162342", "4815_", "4815-16-23", "0.4815.1623", "4815-16-23T48",
	} {
		w := newWorld(t)
		w.user("[llm]\napi_key = " + value + "\n")
		reason := w.refused()
		assert.Assert(t, strings.Contains(reason, "it is not TOML"), "%s: %s", value, reason)
		assert.Assert(t, !strings.Contains(reason, "hush") && !strings.Contains(reason, "4815"), "%s: %s", value, reason)
	}
}

func TestKeyHasNoFlag(t *testing.T) {
	for _, s := range config.Settings() {
		if strings.HasPrefix(s.Name, "api_key") {
			assert.Equal(t, s.Flag, "", s.Key())
		}
	}
}
