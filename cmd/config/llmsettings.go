package config

import (
	"math"
	"strings"
	"time"
)

func llmSettings() []Setting {
	all := serverSettings()
	all = append(all, askingSettings()...)
	return append(all, factSettings()...)
}

// serverSettings say who is asked, and with which key.
func serverSettings() []Setting {
	return []Setting{
		setting("llm.model", "model to ask, or script:FILE for recorded turns", model(),
			func(c *Config) *string { return &c.LLM.Model },
			withEnv("OPENAI_MODEL"), trustedIf(func(w []string) bool { return len(w) > 0 && isScript(w[0]) })),
		setting("llm.base_url", "address of an OpenAI-compatible server, up to and including the version", address(),
			func(c *Config) *string { return &c.LLM.BaseURL },
			withEnv("OPENAI_BASE_URL"), trusted(), withDefault("OpenAI's own")),
		setting("llm.api_key", "key of the model's server", secret(),
			func(c *Config) *Secret { return &c.LLM.APIKey },
			withEnv("OPENAI_API_KEY"), withoutFlag(), trusted(), asKey(), withDefault("none")),
		setting("llm.api_key_file", "file that holds the key", file(),
			func(c *Config) *string { return &c.LLM.APIKeyFile },
			withEnv("OPENAI_API_KEY_FILE"), withoutFlag(), trusted(), asKey(), withDefault("none")),
		setting("llm.api_key_command", "shell command that prints the key; it has one minute", text("command"),
			func(c *Config) *string { return &c.LLM.APIKeyCommand },
			withEnv(""), withoutFlag(), trusted(), asKey(), withDefault("none")),
		setting("llm.api_key_env", "variable that holds the key", text("variable"),
			func(c *Config) *string { return &c.LLM.APIKeyEnv },
			withEnv(""), withoutFlag(), trusted(), asKey(), withDefault("none")),
		setting("llm.api_type", "openai for OpenAI and all compatible servers, or azure", choice("kind of server", APITypeOpenAI, APITypeAzure),
			func(c *Config) *APIType { return &c.LLM.APIType },
			withEnv("OPENAI_API_TYPE"), withoutFlag(), trusted()),
		setting("llm.api_version", "version of Azure's API", text("version"),
			func(c *Config) *string { return &c.LLM.APIVersion },
			withEnv("OPENAI_API_VERSION"), withoutFlag(), trusted(), withDefault("2024-10-21")),
		setting("llm.deployment", "Azure's name for the model", text("name"),
			func(c *Config) *string { return &c.LLM.Deployment },
			withEnv(""), withoutFlag(), trusted(), withDefault("the model's")),
	}
}

// askingSettings say how a model is asked, and how patiently.
func askingSettings() []Setting {
	return []Setting{
		setting("llm.temperature", "sampling temperature, 0 to 2", temperature(),
			func(c *Config) **float64 { return &c.LLM.Temperature }, withDefault("the server's")),
		setting("llm.max_output_tokens", "longest answer of the model, in tokens; 0 leaves it to the server", count[int](0, math.MaxInt32),
			func(c *Config) *int { return &c.LLM.MaxOutputTokens }),
		setting("llm.model_timeout", "time for one attempt of a model call", duration(time.Millisecond),
			func(c *Config) *time.Duration { return &c.LLM.Timeout }),
		setting("llm.model_idle_timeout", "how long a server that streams may be silent", duration(time.Millisecond),
			func(c *Config) *time.Duration { return &c.LLM.IdleTimeout }),
		setting("llm.max_attempts", "how often a model call is tried in all", count[int](1, 1000),
			func(c *Config) *int { return &c.LLM.MaxAttempts }),
		setting("llm.max_retry_time", "how long after the first attempt of a model call another may begin", duration(0),
			func(c *Config) *time.Duration { return &c.LLM.MaxRetryTime }),
		setting("llm.stream", "let answers come in pieces, as they are written", logical(),
			func(c *Config) *bool { return &c.LLM.Stream }),
		setting("llm.requests_per_minute", "requests of all runs of this program to a server; 0 for no limit", count[int](0, math.MaxInt32),
			func(c *Config) *int { return &c.LLM.RequestsPerMinute }, trusted()),
		setting("llm.tokens_per_minute", "tokens, in and out, of all runs of this program at a server; 0 for no limit", count[int](0, math.MaxInt32),
			func(c *Config) *int { return &c.LLM.TokensPerMinute }, trusted()),
	}
}

// factSettings are what a person knows better of a model than the table.
func factSettings() []Setting {
	fact := func(s Setting) Setting {
		withEnv("")(&s)
		withoutFlag()(&s)
		withDefault("the table's")(&s)
		s.fact = true
		return s
	}
	return []Setting{
		fact(setting("llm.window", "tokens that the model reads and writes in all", tokens(),
			func(c *Config) **int { return &c.LLM.Facts.Window })),
		fact(setting("llm.max_output", "longest answer that the model can give, in tokens", tokens(),
			func(c *Config) **int { return &c.LLM.Facts.MaxOutput })),
		fact(setting("llm.images", "whether the model takes pictures", maybe(),
			func(c *Config) **bool { return &c.LLM.Facts.Images })),
		fact(setting("llm.tools", "whether the model calls tools", maybe(),
			func(c *Config) **bool { return &c.LLM.Facts.Tools })),
		fact(setting("llm.parallel_tools", "whether it calls several at once", maybe(),
			func(c *Config) **bool { return &c.LLM.Facts.ParallelTools })),
		fact(setting("llm.refuses", "parameters that must not be sent: temperature, max_tokens", parameters(),
			func(c *Config) *[]string { return &c.LLM.Facts.Refuses })),
		fact(setting("llm.prices", "dollars for a million tokens: input, cached and output", prices(),
			func(c *Config) **Prices { return &c.LLM.Facts.Prices }, trusted())),
	}
}

// roleSettings choose among the profiles [llm.NAME].
func roleSettings() []Setting {
	return []Setting{
		setting("run.llm", "profile [llm.NAME] of the model that does the work, or default for [llm] itself", profileName(),
			func(c *Config) *string { return &c.Run.LLM }, withDefault("the agent's")),
		setting("run.llm_vision", "profile for requests with pictures where that model takes none, or none", profileName(),
			func(c *Config) *string { return &c.Run.LLMVision }, withDefault("vision, if there is one")),
		setting("run.llm_summary", "profile for summaries of long conversations", profileName(),
			func(c *Config) *string { return &c.Run.LLMSummary }, withDefault("summary, if there is one")),
	}
}

func isScript(model string) bool { return strings.HasPrefix(model, scriptPrefix) }

// OfModel says whether a setting is about the models that are asked.
func (s *Setting) OfModel() bool {
	return s.Section == SectionLLM || strings.HasPrefix(s.Key(), "run.llm")
}
