package config

import "time"

// LLM says which model answers, and how patiently it is asked: a section [llm],
// or [llm.NAME] with what it inherits.
type LLM struct {
	Profile         string // the NAME, empty for [llm]
	Model           string // name as the server knows it, or script:FILE
	BaseURL         string // empty for OpenAI's own
	APIType         APIType
	APIVersion      string // of Azure; empty for the usual one
	Deployment      string // of Azure; empty for the model's name
	APIKey          Secret // at most one of the four APIKey fields is set;
	APIKeyFile      string // Key reads whichever it is
	APIKeyCommand   string // run by sh
	APIKeyEnv       string
	Temperature     *float64 // nil leaves it to the server
	MaxOutputTokens int      // per answer; 0 leaves it to the server
	Stream          bool
	Timeout         time.Duration
	IdleTimeout     time.Duration // of a stream
	MaxAttempts     int           // per call, the first included
	MaxRetryTime    time.Duration // per call; nothing is tried again later

	// Limits of all runs of the program together; 0 is none.
	RequestsPerMinute, TokensPerMinute int

	Facts Facts
}

// APIType is the kind of a server.
type APIType string

// The kinds there are.
const (
	APITypeOpenAI APIType = "openai"
	APITypeAzure  APIType = "azure"
)

// Facts are what a person says of a model. What is nil was not said.
type Facts struct {
	Window, MaxOutput            *int // tokens
	Images, Tools, ParallelTools *bool
	Refuses                      []string // parameters
	Prices                       *Prices
}

// Prices are in US dollars for a million tokens.
type Prices struct{ Input, Cached, Output float64 }
