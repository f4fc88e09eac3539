package main

import (
	"context"
	"strings"

	"drydock/cmd/config"
	"drydock/internal/redact"
	"drydock/runtime"
	"drydock/runtime/llm"
	"drydock/runtime/llm/openai"
	"drydock/runtime/llm/script"
)

// scriptPrefix marks a model that plays recorded turns.
const scriptPrefix = "script:"

// newModel makes the model that the configuration names. It is asked for
// before anything is started, so that a missing key costs nothing. The key is
// added to the secrets.
func newModel(ctx context.Context, cfg config.LLM, secrets *redact.Secrets, emit func(runtime.Payload)) (llm.Model, error) {
	if path, ok := strings.CutPrefix(cfg.Model, scriptPrefix); ok {
		m, err := script.Load(path)
		if err != nil {
			return nil, usageError{err}
		}
		return m, nil
	}
	key, err := cfg.Key(ctx)
	if err != nil {
		return nil, keyError{err}
	}
	secrets.Add("the model's key", key.Reveal())
	return openai.New(openai.Config{
		APIKey: key.Reveal(), BaseURL: cfg.BaseURL, Model: cfg.Model, Temperature: cfg.Temperature,
		MaxTokens: cfg.MaxOutputTokens, Timeout: cfg.Timeout, MaxAttempts: cfg.MaxAttempts,
		UserAgent: "drydock/" + version,
		OnRetry: func(r openai.Retry) {
			emit(runtime.ModelRetry{Attempt: r.Attempt, WaitMS: r.Wait.Milliseconds(), Status: r.Status, Reason: r.Reason})
		},
	})
}
