package openai

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	goopenai "github.com/sashabaranov/go-openai"

	"drydock/runtime/llm/models"
)

// Defaults of Config, for fields that are zero.
const (
	DefaultTimeout      = 300 * time.Second
	DefaultIdleTimeout  = 180 * time.Second
	DefaultMaxAttempts  = 8
	DefaultMaxRetryTime = 10 * time.Minute
	DefaultUserAgent    = "drydock"
	DefaultAPIVersion   = "2024-10-21" // of Azure
)

// Config says which server and model to talk to, and how patiently.
type Config struct {
	// APIKey is sent as a bearer token, or in Azure's header. Spaces and line
	// ends around it are dropped. It may be empty only with a BaseURL of one's
	// own that is not Azure's.
	APIKey string
	// BaseURL is the address up to and including the version, for example
	// http://localhost:8000/v1. Empty means OpenAI's own.
	BaseURL string
	// Azure is set for a server of Azure OpenAI, whose BaseURL is that of the
	// resource, for example https://NAME.openai.azure.com.
	Azure *Azure
	// Model is the name as the server knows it. Required.
	Model string
	// Spec says what the model can do and refuses; nil looks it up by its name.
	Spec *models.Spec
	// Profile names the section [llm.PROFILE] in errors. Empty blames the
	// variables OPENAI_….
	Profile string
	// Temperature is sent if it is set, 0 included. Range 0 to 2. Models that
	// refuse it never get it.
	Temperature *float64
	// MaxTokens limits the length of one answer in tokens; 0 leaves the limit
	// to the server.
	MaxTokens int
	// NoStream asks for whole answers instead of a stream of pieces.
	NoStream bool
	// Timeout limits one attempt, from connecting to the last byte.
	Timeout time.Duration
	// IdleTimeout is how long a streaming server may be silent. Keep-alive
	// comments count as a sign of life.
	IdleTimeout time.Duration
	// MaxAttempts is how often one request is tried in all; 1 never retries.
	MaxAttempts int
	// MaxRetryTime is how long after the first attempt began another one may
	// begin.
	MaxRetryTime time.Duration
	// Limiter is shared by models whose requests a server counts together; nil
	// limits nothing.
	Limiter *Limiter
	// OnRetry is told of each pause before it begins, and OnWait of each that
	// the limiter asks for. Both, like OnText, are called from the goroutine
	// that called Complete.
	OnRetry func(Retry)
	OnWait  func(time.Duration)
	// OnText is told the text of an answer as it arrives, in pieces. After a
	// retry the text begins anew.
	OnText func(string)
	// HTTPClient replaces the client that sends the requests. Its redirects
	// and its own timeout are then the caller's affair.
	HTTPClient *http.Client
	// UserAgent names the program to the server.
	UserAgent string
	// Pause replaces every wait, so that tests need not sleep. It returns early
	// with the context's error when that ends.
	Pause func(ctx context.Context, d time.Duration) error
}

// Azure is what Azure OpenAI needs beyond a key and an address.
type Azure struct {
	Deployment string // empty for one that is named like the model
	APIVersion string // empty for DefaultAPIVersion
}

// String describes the configuration without the key.
func (c Config) String() string {
	return fmt.Sprintf("model %s at %s", c.Model, displayURL(c.BaseURL))
}

// GoString is String: %#v must not print the key either.
func (c Config) GoString() string { return c.String() }

func (c Config) withDefaults() Config {
	c.APIKey = strings.TrimSpace(c.APIKey)
	c.BaseURL = strings.TrimRight(strings.TrimSpace(c.BaseURL), "/")
	if c.Azure != nil {
		c.BaseURL, c.Azure = c.Azure.withDefaults(c.BaseURL, c.Model)
	} else if c.BaseURL == "" {
		c.BaseURL = defaultBaseURL()
	}
	if c.Spec == nil {
		spec := models.Lookup(c.Model)
		c.Spec = &spec
	}
	orDefault(&c.Timeout, DefaultTimeout)
	orDefault(&c.IdleTimeout, DefaultIdleTimeout)
	orDefault(&c.MaxAttempts, DefaultMaxAttempts)
	orDefault(&c.MaxRetryTime, DefaultMaxRetryTime)
	orDefault(&c.UserAgent, DefaultUserAgent)
	if c.HTTPClient == nil {
		c.HTTPClient = newHTTPClient()
	}
	if c.Pause == nil {
		c.Pause = pause
	}
	return c
}

func orDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// withDefaults also takes an address that goes on to the deployment, as it is
// copied from Azure's pages, apart.
func (a Azure) withDefaults(base, model string) (string, *Azure) {
	base, deployment, _ := strings.Cut(base, "/openai/deployments/")
	deployment, _, _ = strings.Cut(deployment, "/")
	base = strings.TrimSuffix(base, "/openai")
	orDefault(&a.Deployment, deployment)
	orDefault(&a.Deployment, model)
	orDefault(&a.APIVersion, DefaultAPIVersion)
	return base, &a
}

func defaultBaseURL() string { return goopenai.DefaultConfig("").BaseURL }

// The places that errors name, where a person can mend what is wrong.

func (c Config) keyPlace() string {
	if c.Profile != "" {
		return "the key of [llm." + c.Profile + "]"
	}
	return "OPENAI_API_KEY"
}

func (c Config) addressPlace() string {
	if c.Profile != "" {
		return "base_url of [llm." + c.Profile + "]"
	}
	return "OPENAI_BASE_URL"
}

func (c Config) modelPlace() string {
	if c.Profile != "" {
		return "model of [llm." + c.Profile + "]"
	}
	return "OPENAI_MODEL"
}
