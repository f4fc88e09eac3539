package editor

import (
	_ "embed" // for the description
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

// Name is the name under which models know this tool.
const Name = "str_replace_editor"

//go:embed description.md
var description string

// Description returns what the model is told about the tool.
func Description() string { return description }

// Schema returns the JSON schema of the arguments, of type object. What a
// schema cannot say well, such as which command needs what, Decode checks.
func Schema() (json.RawMessage, error) {
	schema, err := jsonschema.For[Args](nil)
	if err != nil {
		return nil, fmt.Errorf("derive editor schema: %w", err)
	}
	for _, property := range schema.Properties {
		dropNull(property)
	}
	command := schema.Properties["command"]
	for _, name := range commands() {
		command.Enum = append(command.Enum, name)
	}
	schema.Properties["insert_line"].Minimum = jsonschema.Ptr(0.0)
	lines := schema.Properties["view_range"]
	lines.MinItems, lines.MaxItems = jsonschema.Ptr(2), jsonschema.Ptr(2)
	raw, err := json.Marshal(schema)
	if err != nil {
		return nil, fmt.Errorf("encode editor schema: %w", err)
	}
	return raw, nil
}

// dropNull undoes what deriving makes of an optional field: it may be left out
// here, but not be null.
func dropNull(property *jsonschema.Schema) {
	if len(property.Types) == 2 && property.Types[0] == "null" {
		property.Type, property.Types = property.Types[1], nil
	}
}
