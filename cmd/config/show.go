package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Entry is one line of a configuration as people look at it: no secret is in it.
type Entry struct {
	Key    string
	Value  string
	Origin Origin
	// Default says that nobody configured it; its Value is then what holds.
	Default bool
}

// Entries lists a configuration: the settings, what profiles of models say, MCP
// servers and flags of commands.
func Entries(c Config, origins Origins) []Entry {
	var all []Entry
	for _, s := range Settings() {
		all = append(all, entry(s, s.Key(), c, origins))
		if s.Key() == lastModelSetting() {
			all = append(all, modelEntries(c, origins)...)
		}
	}
	for _, server := range c.MCP {
		all = append(all, Entry{Key: sectionMCP + "." + server.Name, Value: "see 'drydock mcp list'", Origin: server.Origin})
	}
	for _, file := range c.Commands {
		all = append(all, commandEntries(sectionCommands, file.Values, file.Origin)...)
	}
	return all
}

func entry(s Setting, key string, c Config, origins Origins) Entry {
	e := Entry{Key: key, Value: s.Shown(c), Origin: origins[key]}
	e.Default = e.Origin.Layer == LayerDefault
	if e.Default && e.Value == "" {
		e.Value = s.Default
	}
	return e
}

// lastModelSetting is where the profiles of models are listed.
func lastModelSetting() string {
	settings := llmSettings()
	return settings[len(settings)-1].Key()
}

// modelEntries are the settings that files gave to profiles [llm.NAME].
func modelEntries(c Config, origins Origins) []Entry {
	var all []Entry
	for _, name := range slices.Sorted(maps.Keys(c.profiles.plain)) {
		for _, s := range llmSettings() {
			key := SectionLLM + "." + name + "." + s.Name
			if _, said := origins[key]; said {
				all = append(all, entry(s, key, Config{LLM: c.profiles.plain[name]}, origins))
			}
		}
	}
	return all
}

func commandEntries(prefix string, values map[string]any, from Origin) []Entry {
	var all []Entry
	for _, name := range slices.Sorted(maps.Keys(values)) {
		key := prefix + "." + name
		if table, ok := values[name].(map[string]any); ok {
			all = append(all, commandEntries(key, table, from)...)
			continue
		}
		words, err := Words(values[name])
		if err != nil {
			words = []string{fmt.Sprintf("(%v)", err)}
		}
		all = append(all, Entry{Key: key, Value: strings.Join(words, ", "), Origin: from})
	}
	return all
}
