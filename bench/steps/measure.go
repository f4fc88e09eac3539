package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"drydock/agents"
	"drydock/runtime"
	"drydock/runtime/llm/openai"
	"drydock/tools"
)

// around is how many steps are measured in one conversation, as it grows through
// the size in question.
const around = 20

// measure takes steps in conversations of about so many messages, until there are
// enough samples.
func measure(ctx context.Context, messages, samples, observation int) (measured, error) {
	var m measured
	for len(m.times) < samples {
		if err := converse(ctx, &m, messages, observation); err != nil {
			return m, err
		}
	}
	return m, nil
}

// converse runs one conversation up to a size, and measures its last steps.
func converse(ctx context.Context, m *measured, messages, observation int) error {
	events, err := os.CreateTemp("", "drydock-bench-*")
	if err != nil {
		return fmt.Errorf("make event log: %w", err)
	}
	defer func() { _ = events.Close() }()
	if err := os.Remove(events.Name()); err != nil {
		return fmt.Errorf("make event log: %w", err)
	}
	wire := &atOnce{}
	model, err := openai.New(openai.Config{BaseURL: "http://localhost/v1", Model: "bench", MaxAttempts: 1, HTTPClient: &http.Client{Transport: wire}})
	if err != nil {
		return err
	}
	registry, err := tools.NewRegistry(echo{strings.Repeat("x", max(0, observation-1)) + "\n"})
	if err != nil {
		return err
	}
	preset := agents.Preset{Name: "bench", System: strings.Repeat("Work well. ", 300), ObservationLimit: 24_000}
	recorder := runtime.NewRecorder("bench", events)
	agent, err := agents.NewAgent(model, registry, preset, agents.PromptData{}, "measure", recorder.Emit)
	if err != nil {
		return err
	}
	for n := 1; 2*n < messages+around; n++ { // a step is an answer and a result
		began := time.Now()
		if _, err := agent.Step(ctx, n); err != nil {
			return err
		}
		if 2*n >= messages-around {
			m.times = append(m.times, time.Since(began))
		}
	}
	m.request = wire.request
	return recorder.Err()
}

// atOnce answers each request with a call.
type atOnce struct {
	n       int
	request int // bytes of the last request
}

// RoundTrip reads a request and answers it.
func (w *atOnce) RoundTrip(req *http.Request) (*http.Response, error) {
	size, err := io.Copy(io.Discard, req.Body)
	if err != nil {
		return nil, err
	}
	w.n++
	w.request = int(size)
	body := fmt.Sprintf(`{"id":"x","object":"chat.completion","model":"bench","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant",`+
		`"content":"I look at the next part.","tool_calls":[{"id":"call_%d","type":"function","function":{"name":"echo","arguments":"{\"command\":\"sed -n %d,+40p file.go\"}"}}]}}],`+
		`"usage":{"prompt_tokens":%d,"completion_tokens":40,"total_tokens":%d}}`, w.n, w.n, size/4, size/4+40)
	header := http.Header{"Content-Type": {"application/json"}}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(bytes.NewReader([]byte(body))), Request: req}, nil
}

// echo is a tool that answers at once.
type echo struct{ text string }

// Spec implements tools.Tool.
func (echo) Spec() tools.Spec {
	return tools.Spec{Name: "echo", Description: "answers", Parameters: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`)}
}

// Run implements tools.Tool.
func (e echo) Run(context.Context, json.RawMessage) (tools.Result, error) {
	return tools.Result{Status: tools.StatusOK, Text: e.text}, nil
}
