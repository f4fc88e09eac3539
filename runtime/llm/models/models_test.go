package models

import (
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime/llm"
)

func TestLookup(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		window     int
		refuses    int
		effort     string
		images     bool
		tools      bool
		parallel   bool
		inputPrice float64 // 0: no prices
	}{
		"gpt-4.1":                    {1_047_576, 0, "", true, true, true, 2},
		"gpt-4.1-mini-2025-04-14":    {1_047_576, 0, "", true, true, true, 0.40},
		"openai/gpt-4o-mini":         {128_000, 0, "", true, true, true, 0.15},
		"GPT-4o":                     {128_000, 0, "", true, true, true, 2.50},
		"o3-mini":                    {200_000, 2, "", false, true, false, 1.10},
		"openrouter/openai/o1-mini":  {128_000, 2, "", false, false, false, 0},
		"gpt-6-sol":                  {1_050_000, 2, "none", true, true, true, 0},
		"gpt-6-astra":                {1_050_000, 2, "", true, true, true, 0},
		"deepseek-chat":              {131_072, 0, "", false, true, true, 0.28},
		"anthropic/claude-sonnet-4":  {200_000, 0, "", true, true, true, 3},
		"claude-3-opus-20240229":     {200_000, 0, "", true, true, true, 0},
		"eu.anthropic.claude-opus-4": {200_000, 0, "", true, true, true, 15},
		"o1-vendor/llama-3.1-70b":    {131_072, 2, "", false, true, true, 0},
	}
	for name, want := range tests {
		s := Lookup(name)
		assert.Assert(t, s.Known, name)
		assert.Equal(t, s.Window, want.window, name)
		assert.Equal(t, len(s.Refuses), want.refuses, name)
		assert.Equal(t, s.EffortWithTools, want.effort, name)
		assert.Equal(t, s.Images, want.images, name)
		assert.Equal(t, s.Tools, want.tools, name)
		assert.Equal(t, s.ParallelTools, want.parallel, name)
		assert.Equal(t, s.Prices != nil, want.inputPrice > 0, name)
		if s.Prices != nil {
			assert.Equal(t, s.Prices.Input, want.inputPrice, name)
			assert.Equal(t, s.Prices.AsOf, "2025-12", name)
		}
	}
}

func TestAModelThatNobodyKnows(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "/", "fake", "my/own-model", "\x00", "x/gpt"} {
		s := Lookup(name)
		assert.Assert(t, !s.Known && s.Tools && !s.Images, name)
		assert.Equal(t, s.Window, 0)
		assert.Assert(t, s.Prices == nil)
		assert.Assert(t, s.Takes(ParamTemperature) && s.Takes(ParamMaxTokens))
	}
}

// Every entry is plausible: a slip in the data would cost a run.
func TestTheTableIsPlausible(t *testing.T) {
	t.Parallel()
	assert.Assert(t, len(table()) > 40)
	for prefix, s := range table() {
		assert.Assert(t, s.Window >= 4096 && s.MaxOutput >= 1024 && s.MaxOutput <= s.Window, prefix)
		for _, p := range s.Refuses {
			assert.Assert(t, p == ParamTemperature || p == ParamMaxTokens, "%s refuses %s", prefix, p)
		}
		if p := s.Prices; p != nil {
			assert.Assert(t, p.Input > 0 && p.Cached > 0 && p.Cached <= p.Input && p.Output >= p.Input, prefix)
		}
	}
}

func TestMistakesInTheTableAreFound(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"[[model]]\nprefix = \"a\"\nwindw = 3\n":               "unknown key",
		"[[model]]\nprefix = \"A\"\n":                          "not in lower case",
		"[[model]]\nwindow = 3\n":                              "is empty",
		"[[model]]\nprefix=\"a\"\n[[model]]\nprefix = \"a\"\n": "there twice",
		"[[model]]\nprefix = 3\n":                              "read the table of models",
	} {
		_, err := decode(text)
		assert.ErrorContains(t, err, want)
	}
}

func TestAPersonKnowsBetter(t *testing.T) {
	t.Parallel()
	window, no, yes := 32768, false, true
	s := Lookup("own").With(Override{Window: &window, Tools: &no, Images: &yes, Refuses: []string{ParamTemperature}, Prices: &llm.Prices{Output: 1}})
	assert.Assert(t, s.Known && s.Images && !s.Tools && !s.ParallelTools && !s.Takes(ParamTemperature))
	assert.Equal(t, s.Window, 32768)
	assert.Equal(t, s.Prices.Output, 1.0)

	same := Lookup("gpt-4.1").With(Override{})
	assert.DeepEqual(t, same, Lookup("gpt-4.1"))
	assert.Assert(t, Lookup("o3").With(Override{Refuses: []string{}}).Takes(ParamMaxTokens))
	assert.Equal(t, *Lookup("gpt-4.1").Prices, *same.Prices, "the table is as it was")
}
