package openai

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"

	"drydock/runtime/llm"
)

// check runs after withDefaults.
func (c Config) check() error {
	if err := c.checkKey(); err != nil {
		return err
	}
	if strings.TrimSpace(c.Model) == "" {
		return errors.New("no model is named: set " + c.modelPlace())
	}
	if err := c.checkURL(); err != nil {
		return err
	}
	if t := c.Temperature; t != nil && !(*t >= 0 && *t <= 2) {
		return fmt.Errorf("temperature %v is outside 0 to 2", *t)
	}
	if c.MaxTokens < 0 || c.MaxTokens > math.MaxInt32 {
		return fmt.Errorf("max tokens %d is outside 0 to %d", c.MaxTokens, math.MaxInt32)
	}
	if c.Timeout < 0 || c.IdleTimeout < 0 || c.MaxAttempts < 0 || c.MaxRetryTime < 0 {
		return errors.New("timeouts, attempts and retry time of the model must not be negative")
	}
	return nil
}

func (c Config) checkKey() error {
	if c.APIKey == "" && (c.Azure != nil || c.BaseURL == defaultBaseURL()) {
		return &llm.Error{
			Kind:    llm.KindAuth,
			Message: fmt.Sprintf("set %s, or set %s to a server that needs no key", c.keyPlace(), c.addressPlace()),
		}
	}
	if strings.ContainsFunc(c.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return &llm.Error{
			Kind:    llm.KindAuth,
			Message: "the key contains a space, line break or special character: check " + c.keyPlace(),
		}
	}
	return nil
}

func (c Config) checkURL() error {
	if c.BaseURL == "" { // Azure's, which has no default
		return errors.New("Azure needs the address of the resource, such as https://NAME.openai.azure.com: set " + c.addressPlace())
	}
	u, err := url.Parse(c.BaseURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("base URL %q is not an http or https address such as http://localhost:8000/v1", displayURL(c.BaseURL))
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("base URL %q must end with its path: no ? or # part", displayURL(c.BaseURL))
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
