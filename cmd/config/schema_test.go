package config_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"drydock/cmd/config"
)

const schemaFile = "../../docs/drydock.schema.json"

func TestTheSchemaIsUpToDate(t *testing.T) {
	made, err := config.Schema()
	assert.NilError(t, err)
	if golden.FlagUpdate() {
		assert.NilError(t, os.WriteFile(schemaFile, made, 0o644))
		return
	}
	kept, err := os.ReadFile(schemaFile)
	assert.NilError(t, err)
	assert.Equal(t, string(kept), string(made), "run go test ./cmd/config -update")
}

func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	made, err := config.Schema()
	assert.NilError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(made))
	assert.NilError(t, err)
	compiler := jsonschema.NewCompiler()
	assert.NilError(t, compiler.AddResource("drydock.json", doc))
	schema, err := compiler.Compile("drydock.json")
	assert.NilError(t, err)
	return schema
}

func validateTOML(t *testing.T, schema *jsonschema.Schema, text string) error {
	t.Helper()
	var top map[string]any
	assert.NilError(t, toml.Unmarshal([]byte(text), &top))
	return schema.Validate(top)
}

func TestTheSchemaTakesTheExamplesAndRefusesMistakes(t *testing.T) {
	schema := compiledSchema(t)
	for _, name := range []string{"../../docs/models.md", "../../docs/configuration.md", "../../docs/mcp.md"} {
		text, err := os.ReadFile(name)
		assert.NilError(t, err)
		for _, block := range tomlBlock.FindAllStringSubmatch(string(text), -1) {
			assert.NilError(t, validateTOML(t, schema, block[1]), "%s", block[1])
		}
	}
	for text, want := range map[string]string{
		"[sandbox]\nmemroy = 1":           "memroy",
		"[sandbox]\nnetwork = \"some\"":   "network",
		"[run]\nmax_turns = [1]":          "max_turns",
		"[llm.vision]\nmodle = \"x\"":     "modle",
		"[profiles.ci.sandbx]\nx = 1":     "sandbx",
		"[profiles.ci.run]\nmax_turn = 1": "max_turn",
		"[rnu]\nx = 1":                    "rnu",
	} {
		err := validateTOML(t, schema, text)
		assert.Assert(t, err != nil && strings.Contains(err.Error(), want), "%s: %v", text, err)
	}
}
