package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"drydock/tools"
)

// Bounds of what a server says of itself and its tools, in bytes but for the
// number of tools. A model reads it with every request.
const (
	maxTools       = 100
	maxPages       = 20
	maxAbout       = 4 << 10
	maxDescription = 2 << 10
	maxSchema      = 32 << 10
	maxDepth       = 32
)

// listing is what a server offers.
type listing struct {
	tools []*remote
	about string
}

// list asks a server for its tools.
func (s *server) list(ctx context.Context, l *link) (listing, error) {
	var all listing
	if init := l.session.InitializeResult(); init != nil {
		all.about = cut(tools.Clean([]byte(s.spec.redact(cut(init.Instructions, 4*maxAbout)))), maxAbout)
		if init.Capabilities != nil && init.Capabilities.Tools == nil {
			return all, nil
		}
	}
	cursor := ""
	for page := 0; page < maxPages; page++ {
		got, err := l.session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return listing{}, fmt.Errorf("list its tools: %w", err)
		}
		for _, t := range got.Tools {
			s.add(&all, t)
		}
		if cursor = got.NextCursor; cursor == "" || len(all.tools) >= maxTools {
			break
		}
	}
	return all, nil
}

// add takes a tool that is wanted and can be offered.
func (s *server) add(all *listing, t *sdk.Tool) {
	if t == nil || t.Name == "" || !s.spec.offers(t.Name) || len(all.tools) >= maxTools {
		return
	}
	schema, err := s.schema(t.InputSchema)
	if err != nil {
		s.options.Warn(fmt.Sprintf("MCP server %s: tool %s is left out: %v", s.spec.Name, oneLine(t.Name, maxName), err))
		return
	}
	for _, other := range all.tools {
		if other.tool == t.Name {
			return
		}
	}
	description := t.Description
	if description == "" {
		description = t.Title
	}
	all.tools = append(all.tools, &remote{server: s, tool: t.Name, spec: tools.Spec{
		Name:        s.naming(t.Name),
		Description: cut(tools.Clean([]byte(s.spec.redact(cut(description, 4*maxDescription)))), maxDescription),
		Parameters:  schema,
		Example:     example(schema),
	}})
}

// schema passes a tool's schema on, cleaned, where a model can use it.
func (s *server) schema(given any) (json.RawMessage, error) {
	object, ok := given.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("its schema is no object")
	}
	if object["type"] != "object" {
		return nil, fmt.Errorf(`its schema is not of the type "object"`)
	}
	if object["properties"] == nil {
		object["properties"] = map[string]any{} // providers insist on it
	}
	cleaned, err := s.cleanValue(object, 0)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(cleaned)
	if err != nil {
		return nil, fmt.Errorf("its schema: %w", err)
	}
	if len(raw) > maxSchema {
		return nil, fmt.Errorf("its schema is over %d KiB", maxSchema>>10)
	}
	return raw, nil
}

func (s *server) cleanValue(v any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("its schema is nested more than %d deep", maxDepth)
	}
	var err error
	switch v := v.(type) {
	case string:
		return tools.Clean([]byte(s.spec.redact(v))), nil
	case []any:
		for i := range v {
			if v[i], err = s.cleanValue(v[i], depth+1); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for name, item := range v {
			if v[name], err = s.cleanValue(item, depth+1); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// example shows the form of a tool's arguments.
func example(schema json.RawMessage) string {
	var s struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return "{}"
	}
	values := map[string]any{"string": "…", "number": 1, "integer": 1, "boolean": true, "array": []any{}, "object": map[string]any{}}
	sample := map[string]any{}
	for _, name := range s.Required {
		kind, _ := s.Properties[name].Type.(string)
		sample[name] = values[kind]
	}
	raw, err := json.Marshal(sample)
	if err != nil || len(raw) > maxReason {
		return "{}"
	}
	return string(raw)
}
