package models

import (
	"regexp"
	"slices"
	"strings"

	"drydock/runtime/llm"
)

// vendor is what Bedrock writes before a model's name: perhaps a region, and
// who made it.
var vendor = regexp.MustCompile(`^(?:[a-z]{2,6}\.)?(?:anthropic|amazon|cohere|deepseek|google|meta|minimax|mistral|moonshot|openai|qwen)\.`)

// unknown is safe with most models: they call tools, and no picture is sent to
// one that may refuse it. The window is not known.
func unknown() Spec {
	return Spec{Facts: llm.Facts{Tools: true, ParallelTools: true}}
}

// Lookup gives what is known of a model by its name, in whatever case and with
// what routers put before it, as in openai/o3-mini or
// us.anthropic.claude-sonnet-4. A model that is not in the table gets defaults
// that are safe with most; its Facts are then not Known.
func Lookup(name string) Spec {
	name = strings.ToLower(name)
	short := name[strings.LastIndexByte(name, '/')+1:]
	bare := vendor.ReplaceAllString(short, "")
	spec, found := longest(bare)
	if !found {
		spec = unknown()
	}
	// The client library goes by the whole name when it refuses a parameter.
	if whole, ok := longest(name); ok && bare != name {
		spec.Refuses = union(spec.Refuses, whole.Refuses)
	}
	return spec
}

func longest(name string) (Spec, bool) {
	for end := len(name); end > 0; end-- {
		if spec, ok := table()[name[:end]]; ok {
			return spec, true
		}
	}
	return Spec{}, false
}

func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}
