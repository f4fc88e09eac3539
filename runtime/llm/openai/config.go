package openai

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"

	goopenai "github.com/sashabaranov/go-openai"

	"drydock/runtime/llm"
)

// Defaults of Config, for fields that are zero.
const (
	DefaultTimeout      = 300 * time.Second
	DefaultMaxAttempts  = 8
	DefaultMaxRetryWait = 10 * time.Minute
	DefaultUserAgent    = "drydock"
)

// Config says which server and model to talk to, and how patiently.
type Config struct {
	// APIKey is sent as a bearer token. Spaces and line ends around it are
	// dropped. It may be empty only with a BaseURL of one's own.
	APIKey string
	// BaseURL is the address up to and including the version, for example
	// http://localhost:8000/v1. Empty means OpenAI's own.
	BaseURL string
	// Model is the name as the server knows it. Required.
	Model string
	// Temperature is sent if it is set, 0 included. Range 0 to 2. Models that
	// refuse it never get it.
	Temperature *float64
	// MaxTokens limits the length of one answer in tokens; 0 leaves the limit
	// to the server.
	MaxTokens int
	// Timeout limits one attempt, from connecting to the last byte.
	Timeout time.Duration
	// MaxAttempts is how often one request is tried in all; 1 never retries.
	MaxAttempts int
	// MaxRetryWait limits the sum of the pauses between the attempts of one
	// request.
	MaxRetryWait time.Duration
	// OnRetry is told of each pause before it begins. It is called from the
	// goroutine that called Complete.
	OnRetry func(Retry)
	// HTTPClient replaces the client that sends the requests. Its redirects
	// and its own timeout are then the caller's affair.
	HTTPClient *http.Client
	// UserAgent names the program to the server.
	UserAgent string
	// Pause replaces the wait between two attempts, so that tests need not
	// sleep. It returns early with the context's error when that ends.
	Pause func(ctx context.Context, d time.Duration) error
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
	if c.BaseURL == "" {
		c.BaseURL = defaultBaseURL()
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.MaxAttempts == 0 {
		c.MaxAttempts = DefaultMaxAttempts
	}
	if c.MaxRetryWait == 0 {
		c.MaxRetryWait = DefaultMaxRetryWait
	}
	if c.UserAgent == "" {
		c.UserAgent = DefaultUserAgent
	}
	if c.HTTPClient == nil {
		c.HTTPClient = newHTTPClient()
	}
	if c.Pause == nil {
		c.Pause = pause
	}
	return c
}

// check runs after withDefaults.
func (c Config) check() error {
	if c.APIKey == "" && c.BaseURL == defaultBaseURL() {
		return &llm.Error{Kind: llm.KindAuth, Message: "set OPENAI_API_KEY, or set OPENAI_BASE_URL to a server that needs no key"}
	}
	if strings.ContainsFunc(c.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return &llm.Error{Kind: llm.KindAuth, Message: "the key contains a space, line break or special character: check OPENAI_API_KEY"}
	}
	if strings.TrimSpace(c.Model) == "" {
		return errors.New("no model is named: set OPENAI_MODEL")
	}
	if err := checkURL(c.BaseURL); err != nil {
		return err
	}
	if t := c.Temperature; t != nil && !(*t >= 0 && *t <= 2) {
		return fmt.Errorf("temperature %v is outside 0 to 2", *t)
	}
	if c.MaxTokens < 0 || c.MaxTokens > math.MaxInt32 {
		return fmt.Errorf("max tokens %d is outside 0 to %d", c.MaxTokens, math.MaxInt32)
	}
	if c.Timeout < 0 || c.MaxAttempts < 0 || c.MaxRetryWait < 0 {
		return errors.New("timeout, attempts and retry wait of the model must not be negative")
	}
	return nil
}

func checkURL(base string) error {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("base URL %q is not an http or https address such as http://localhost:8000/v1", displayURL(base))
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("base URL %q must end with its path: no ? or # part", displayURL(base))
	}
	return nil
}

// displayURL leaves out what may be a secret: user, password and query.
func displayURL(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return "(not a URL)"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

func defaultBaseURL() string { return goopenai.DefaultConfig("").BaseURL }

// newHTTPClient follows no redirect: a POST that is redirected turns into a
// GET, and its answer would be about something else.
func newHTTPClient() *http.Client {
	client := &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if t, ok := http.DefaultTransport.(*http.Transport); ok {
		client.Transport = t.Clone()
	}
	return client
}
