package main

import (
	"time"

	"drydock/cmd/config"
	"drydock/runtime"
	"drydock/runtime/llm/openai"
)

// openai is the configuration of a model behind a server.
func (m *modelMaker) openai(l config.LLM, profile string, key config.Secret) openai.Config {
	spec := specOf(l)
	cfg := openai.Config{
		APIKey: key.Reveal(), BaseURL: l.BaseURL, Model: l.Model, Profile: l.Profile, Spec: &spec, Temperature: l.Temperature,
		MaxTokens: l.MaxOutputTokens, NoStream: !l.Stream, Timeout: l.Timeout, IdleTimeout: l.IdleTimeout,
		MaxAttempts: l.MaxAttempts, MaxRetryTime: l.MaxRetryTime, UserAgent: "drydock/" + version,
		Limiter: m.limiter(l),
		OnRetry: func(r openai.Retry) {
			m.emit(runtime.ModelRetry{Attempt: r.Attempt, WaitMS: r.Wait.Milliseconds(), Status: r.Status, Reason: r.Reason})
		},
		OnWait: func(d time.Duration) { m.emit(runtime.ModelWait{Model: l.Model, WaitMS: d.Milliseconds()}) },
	}
	if l.APIType == config.APITypeAzure {
		cfg.Azure = &openai.Azure{Deployment: l.Deployment, APIVersion: l.APIVersion}
	}
	if profile == m.main {
		cfg.OnText = m.onText
	}
	return cfg
}

// limiter is shared by the models of a server. The first that is made sets its
// limits.
func (m *modelMaker) limiter(l config.LLM) *openai.Limiter {
	limiter := m.limiters[l.BaseURL]
	if limiter == nil {
		limiter = openai.NewLimiter(openai.Limits{RequestsPerMinute: l.RequestsPerMinute, TokensPerMinute: l.TokensPerMinute})
		m.limiters[l.BaseURL] = limiter
	}
	return limiter
}
