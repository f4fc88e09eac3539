package openai

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	goopenai "github.com/sashabaranov/go-openai"

	"drydock/runtime/llm"
	"drydock/runtime/llm/models"
)

// The parameters that can be left out where a server refuses them, beside those
// that the table of models knows.
const (
	paramStream        = "stream"
	paramStreamOptions = "stream_options"
	paramEffort        = "reasoning_effort"
)

// habits is how a model is asked. It begins with what is known of the model, and
// learns from a server that refuses a parameter. It is safe for concurrent use.
type habits struct {
	cfg Config

	mu      sync.Mutex
	without []string // parameters that are not sent
}

func (h *habits) start(cfg Config) {
	h.cfg = cfg
	h.without = slices.Clone(cfg.Spec.Refuses)
	if cfg.NoStream {
		h.without = append(h.without, paramStream)
	}
}

func (h *habits) takes(param string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !slices.Contains(h.without, param)
}

func (h *habits) takesTemperature() bool { return h.takes(models.ParamTemperature) }

// apply adds to a request what the model takes.
func (h *habits) apply(wire goopenai.ChatCompletionRequest) goopenai.ChatCompletionRequest {
	if h.takes(models.ParamMaxTokens) {
		wire.MaxTokens = h.cfg.MaxTokens //nolint:staticcheck // servers that are not OpenAI's know no other
	} else {
		wire.MaxCompletionTokens = h.cfg.MaxTokens
	}
	if t := h.cfg.Temperature; t != nil && h.takesTemperature() {
		wire.Temperature = float32(*t)
	}
	if len(wire.Tools) > 0 && h.takes(paramEffort) {
		wire.ReasoningEffort = h.cfg.Spec.EffortWithTools
	}
	if wire.Stream = h.takes(paramStream); wire.Stream && h.takes(paramStreamOptions) {
		wire.StreamOptions = &goopenai.StreamOptions{IncludeUsage: true}
	}
	return wire
}

// refusal are the words by which servers say that they do not know a parameter,
// or do not want it.
var refusal = regexp.MustCompile(`unsupported|not support|n't support|unrecognized|unknown|unexpected|not permitted|not allowed|not implemented|only the default|deprecated`)

// learn says which parameter of a request the server refused, so that the next
// one goes without, and is empty if it was none.
func (h *habits) learn(wire goopenai.ChatCompletionRequest, fail *llm.Error, p problem) string {
	text := strings.ToLower(p.code + " " + p.message)
	if fail.Kind != llm.KindBadRequest && fail.Status != 501 || !refusal.MatchString(text) {
		return ""
	}
	param := blamed(p.param, text, h.sent(wire))
	if param == "" {
		return ""
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.Contains(h.without, param) { // or a concurrent call has learned it
		h.without = append(h.without, param)
	}
	return param
}

// sent lists the parameters of a request that could be left out, the longer
// names first.
func (h *habits) sent(wire goopenai.ChatCompletionRequest) []string {
	var params []string
	add := func(is bool, param string) {
		if is {
			params = append(params, param)
		}
	}
	add(wire.StreamOptions != nil, paramStreamOptions)
	add(wire.ReasoningEffort != "", paramEffort)
	add(wire.MaxTokens != 0, models.ParamMaxTokens) //nolint:staticcheck // see apply
	add(h.cfg.Temperature != nil && h.takesTemperature(), models.ParamTemperature)
	add(wire.Stream, paramStream)
	return params
}

// blamed finds the parameter that an error is about: the one it names as such,
// or the first that its text names.
func blamed(named, text string, params []string) string {
	if slices.Contains(params, named) {
		return named
	}
	for _, param := range params {
		if regexp.MustCompile(`\b` + param + `(ing)?\b`).MatchString(text) {
			return param
		}
	}
	return ""
}

func (m *Model) without(param string) string {
	switch param {
	case paramStream:
		return fmt.Sprintf("the server does not stream %s; asking for whole answers", m.cfg.Model)
	case models.ParamMaxTokens:
		return "the server refuses max_tokens; sending max_completion_tokens"
	}
	return "the server refuses " + param + "; asking without it"
}
