package openai

import "strings"

// traits is what differs between models in how they must be asked.
type traits struct {
	// reasoning models take max_completion_tokens for max_tokens and refuse a
	// temperature.
	reasoning bool
	// effortWithTools is the reasoning_effort without which the chat endpoint
	// refuses tools.
	effortWithTools string
}

// family gives the traits of every model whose name begins with prefix.
type family struct {
	prefix string
	traits traits
}

// families is searched in order; models in no family have no special traits.
var families = [...]family{
	{"o1", traits{reasoning: true}},
	{"o3", traits{reasoning: true}},
	{"o4", traits{reasoning: true}},
	{"gpt-5", traits{reasoning: true}},
	{"gpt-6-sol", traits{reasoning: true, effortWithTools: "none"}},
	{"gpt-6-luna", traits{reasoning: true, effortWithTools: "none"}},
	{"gpt-6", traits{reasoning: true}},
}

// traitsOf looks a model up. Routers put the vendor before the name, as in
// openai/o3-mini, which does not change what the model takes. The whole name
// counts too, because the client library checks that one.
func traitsOf(model string) traits {
	name := model[strings.LastIndexByte(model, '/')+1:]
	for _, f := range families {
		if strings.HasPrefix(name, f.prefix) || strings.HasPrefix(model, f.prefix) {
			return f.traits
		}
	}
	return traits{}
}
