package editor_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"gotest.tools/v3/assert"

	"drydock/tools/editor"
)

func TestSchemaOffersWhatModelsKnow(t *testing.T) {
	t.Parallel()
	raw, err := editor.Schema()
	assert.NilError(t, err)
	var schema struct {
		Type       string
		Properties map[string]struct {
			Type, Description  string
			Enum               []string
			MinItems, MaxItems int
			Items              struct{ Type string }
		}
		Required             []string
		AdditionalProperties any
	}
	assert.NilError(t, json.Unmarshal(raw, &schema))
	assert.Equal(t, schema.Type, "object")
	assert.DeepEqual(t, schema.Required, []string{"command", "path"})
	assert.DeepEqual(t, schema.Properties["command"].Enum, []string{"view", "create", "str_replace", "insert", "undo_edit"})
	types := map[string]string{}
	for name, property := range schema.Properties {
		types[name] = property.Type
		assert.Assert(t, property.Description != "", name)
	}
	assert.DeepEqual(t, types, map[string]string{
		"command": "string", "path": "string", "file_text": "string", "old_str": "string",
		"new_str": "string", "insert_line": "integer", "view_range": "array",
	})
	assert.Equal(t, schema.Properties["view_range"].Items.Type, "integer")
	assert.Assert(t, schema.AdditionalProperties != nil, "unknown arguments must be refused by the schema too")
}

// Whatever Decode accepts, the schema must allow: models are told the schema.
func TestSchemaAllowsWhatDecodeAccepts(t *testing.T) {
	t.Parallel()
	raw, err := editor.Schema()
	assert.NilError(t, err)
	var schema jsonschema.Schema
	assert.NilError(t, json.Unmarshal(raw, &schema))
	resolved, err := schema.Resolve(nil)
	assert.NilError(t, err)
	for _, call := range []string{
		`{"command": "view", "path": "a", "view_range": [1, -1]}`,
		`{"command": "create", "path": "a", "file_text": ""}`,
		`{"command": "str_replace", "path": "a", "old_str": "x"}`,
		`{"command": "insert", "path": "a", "insert_line": 0, "new_str": ""}`,
		`{"command": "undo_edit", "path": "a"}`,
	} {
		_, err := editor.Decode(json.RawMessage(call))
		assert.NilError(t, err, call)
		var value any
		assert.NilError(t, json.Unmarshal([]byte(call), &value))
		assert.NilError(t, resolved.Validate(value), call)
	}
}

func TestDescriptionNamesEachCommand(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"view", "create", "str_replace", "insert", "undo_edit"} {
		assert.Assert(t, strings.Contains(editor.Description(), "`"+command+"`"), command)
	}
}
