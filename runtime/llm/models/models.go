// Package models knows what differs between language models: how much they
// read, what they take and refuse, what they cost. The data is in models.toml;
// what a person knows better goes over it.
package models

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"drydock/runtime/llm"
)

// The parameters of a request that some models refuse.
const (
	ParamTemperature = "temperature"
	// ParamMaxTokens is refused by models that take max_completion_tokens.
	ParamMaxTokens = "max_tokens"
)

// Params lists what a Spec can refuse.
func Params() []string { return []string{ParamTemperature, ParamMaxTokens} }

// Spec is a model's facts, and how it must be asked.
type Spec struct {
	llm.Facts
	// Refuses names parameters that must not be sent.
	Refuses []string
	// EffortWithTools is the reasoning_effort without which the chat endpoint
	// refuses tools; empty sends none.
	EffortWithTools string
}

// Takes says that a parameter can be sent.
func (s Spec) Takes(param string) bool { return !slices.Contains(s.Refuses, param) }

//go:embed models.toml
var data string

// entry is a table [[model]] of the data. What is not said holds for most.
type entry struct {
	Prefix          string   `toml:"prefix"`
	Window          int      `toml:"window"`
	MaxOutput       int      `toml:"max_output"`
	Images          bool     `toml:"images"`
	Tools           *bool    `toml:"tools"`          // true if not said
	ParallelTools   *bool    `toml:"parallel_tools"` // as tools if not said
	Refuses         []string `toml:"refuses"`
	EffortWithTools string   `toml:"effort_with_tools"`
	Prices          *prices  `toml:"prices"`
}

type prices struct {
	Input  float64  `toml:"input"`
	Cached *float64 `toml:"cached"` // as input if not said
	Output float64  `toml:"output"`
}

// table decodes the data once. It is part of the program, so that a mistake in
// it is one of the program.
var table = sync.OnceValue(func() map[string]Spec {
	specs, err := decode(data)
	if err != nil {
		panic(err)
	}
	return specs
})

func decode(text string) (map[string]Spec, error) {
	var file struct {
		AsOf  string  `toml:"as_of"`
		Model []entry `toml:"model"`
	}
	meta, err := toml.Decode(text, &file)
	if err != nil {
		return nil, fmt.Errorf("read the table of models: %w", err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("read the table of models: unknown key %s", unknown[0])
	}
	specs := make(map[string]Spec, len(file.Model))
	for _, e := range file.Model {
		if _, twice := specs[e.Prefix]; twice || e.Prefix == "" || e.Prefix != strings.ToLower(e.Prefix) {
			return nil, fmt.Errorf("read the table of models: prefix %q is empty, not in lower case, or there twice", e.Prefix)
		}
		specs[e.Prefix] = e.spec(file.AsOf)
	}
	return specs, nil
}

func (e entry) spec(asOf string) Spec {
	tools := e.Tools == nil || *e.Tools
	s := Spec{
		Facts: llm.Facts{
			Known: true, Window: e.Window, MaxOutput: e.MaxOutput, Images: e.Images,
			Tools: tools, ParallelTools: tools && (e.ParallelTools == nil || *e.ParallelTools),
		},
		Refuses: e.Refuses, EffortWithTools: e.EffortWithTools,
	}
	if e.Prices != nil {
		s.Prices = &llm.Prices{Input: e.Prices.Input, Cached: e.Prices.Input, Output: e.Prices.Output, AsOf: asOf}
		if e.Prices.Cached != nil {
			s.Prices.Cached = *e.Prices.Cached
		}
	}
	return s
}
