package config

import (
	"encoding/json"
	"fmt"
)

// schemaDraft is the version of JSON Schema that the schema is written in.
const schemaDraft = "https://json-schema.org/draft/2020-12/schema"

// node is a part of a JSON Schema.
type node map[string]any

// Schema is a JSON Schema of configuration files, for editors that check TOML
// while it is written. It knows names and types, not what a project file may not
// set, and not the servers of [mcp] and the flags of [commands].
func Schema() ([]byte, error) {
	properties := node{
		sectionMCP:      tables("MCP servers by name", node{"type": "object"}),
		sectionCommands: tables("flags that are no settings, by command", node{"type": "object"}),
		sectionProfiles: tables("settings that --profile NAME puts over the others", object("a profile", sectionRefs())),
	}
	for name, ref := range sectionRefs() {
		properties[name] = ref
	}
	top := object("configuration of drydock", properties)
	top["$schema"], top["title"], top["$defs"] = schemaDraft, "drydock.toml", definitions()
	raw, err := json.MarshalIndent(top, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema of configuration files: %w", err)
	}
	return append(raw, '\n'), nil
}

func sectionRefs() node {
	refs := node{}
	for _, s := range Settings() {
		refs[s.Section] = node{"$ref": "#/$defs/" + s.Section}
	}
	return refs
}

// definitions holds each section. That of models also holds a table for each
// profile, with the same keys.
func definitions() node {
	sections := map[string]node{}
	for _, s := range Settings() {
		if sections[s.Section] == nil {
			sections[s.Section] = node{}
		}
		sections[s.Section][s.Name] = s.schema()
	}
	all := node{}
	for name, keys := range sections {
		all[name] = object("", keys)
	}
	models := object("", sections[SectionLLM])
	models["additionalProperties"] = node{"$ref": "#/$defs/llm_profile"}
	all[SectionLLM], all["llm_profile"] = models, object("a model that roles and agents can choose", sections[SectionLLM])
	return all
}

// object is a table that has no other keys.
func object(about string, properties node) node {
	n := node{"type": "object", "properties": properties, "additionalProperties": false}
	if about != "" {
		n["description"] = about
	}
	return n
}

// tables is a table of tables with names of one's own.
func tables(about string, each node) node {
	return node{"type": "object", "description": about, "additionalProperties": each}
}

func (s *Setting) schema() node {
	n := node{"description": s.Meaning + "; default: " + s.Default}
	switch {
	case s.shape == list:
		n["type"], n["items"] = "array", node{"type": "string"}
	case s.shape == table && s.numeric:
		n["type"], n["additionalProperties"] = "object", node{"type": []string{"number", "string"}}
	case s.shape == table:
		n["type"], n["additionalProperties"] = "object", node{"type": "string"}
	case s.numeric:
		n["type"] = []string{"number", "string"}
	case s.logical:
		n["type"] = []string{"boolean", "string"}
	default:
		n["type"] = "string"
	}
	if s.choices != nil {
		n["enum"] = s.choices
	}
	return n
}
