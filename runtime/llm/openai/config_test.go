package openai_test

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/internal/fakellm"
	"drydock/runtime/llm"
	"drydock/runtime/llm/openai"
)

func TestBadConfigurations(t *testing.T) {
	t.Parallel()
	base := openai.Config{BaseURL: "http://localhost:1/v1", Model: "m"}
	tests := map[string]struct {
		edit func(*openai.Config)
		want string
	}{
		"no model":         {func(c *openai.Config) { c.Model = " " }, "set OPENAI_MODEL"},
		"no scheme":        {func(c *openai.Config) { c.BaseURL = "localhost:8000/v1" }, "not an http or https address"},
		"no host":          {func(c *openai.Config) { c.BaseURL = "http:///v1" }, "not an http or https address"},
		"control byte":     {func(c *openai.Config) { c.BaseURL = "http://a\x7f/" }, "not an http or https address"},
		"query":            {func(c *openai.Config) { c.BaseURL = "http://a/v1?x=1" }, "no ? or # part"},
		"hot":              {func(c *openai.Config) { c.Temperature = ptr(2.5) }, "temperature 2.5 is outside 0 to 2"},
		"no temperature":   {func(c *openai.Config) { c.Temperature = ptr(math.NaN()) }, "temperature NaN"},
		"negative tokens":  {func(c *openai.Config) { c.MaxTokens = -1 }, "max tokens -1"},
		"negative timeout": {func(c *openai.Config) { c.Timeout = -time.Second }, "must not be negative"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := base
			tt.edit(&cfg)
			_, err := openai.New(cfg)
			assert.ErrorContains(t, err, tt.want)
			assert.Assert(t, !strings.Contains(err.Error(), "\n"))
		})
	}
}

func TestAMissingOrUnusableKey(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "  \n"} {
		_, err := openai.New(openai.Config{Model: "m", APIKey: key})
		assert.Equal(t, typed(t, err).Kind, llm.KindAuth)
		assert.ErrorContains(t, err, "set OPENAI_API_KEY")
	}
	for _, key := range []string{"sk-secret one", "sk-secret\ntwo", "sk-secrét"} {
		_, err := openai.New(openai.Config{Model: "m", APIKey: key})
		assert.Equal(t, typed(t, err).Kind, llm.KindAuth)
		assert.Assert(t, !strings.Contains(err.Error(), "sk-secr"))
	}
	_, err := openai.New(openai.Config{Model: "m", BaseURL: "http://localhost:1/v1"})
	assert.NilError(t, err)
}

// A server may repeat the key in whatever it sends; no text may show it.
func TestTheKeyIsNeverPrinted(t *testing.T) {
	t.Parallel()
	const key = "sk-canary+/0123456789"
	const escaped = "sk-canary%2B%2F0123456789"
	padding := strings.Repeat("x", 290) // a cut at 300 must not leave half a key
	echoes := []fakellm.Turn{
		fakellm.Status(401, "Incorrect API key provided: "+key),
		fakellm.Status(400, padding+key),
		fakellm.Status(429, "key="+escaped),
		fakellm.Status(500, key[:10]+"\u200b"+key[10:]),
		fakellm.Body(502, "text/html", "<html><title>"+key+"</title>"),
		fakellm.Body(404, "text/plain", key),
		fakellm.Body(302, "", "").WithHeader("Location", "https://example.org/?token="+key),
		fakellm.Body(200, "application/json", `{"error":"`+key+`"}`),
		fakellm.Body(200, "application/json", key),
		fakellm.Events(`{"error":{"message":"` + key + `"}}`),
		fakellm.Events(`{"error":{"message":"` + key + `","code":401}}`),
		fakellm.Events(key),
		fakellm.Status(400, "unsupported stream_options "+key),
	}
	for _, turn := range echoes {
		srv := fakellm.New(t, times(8, turn)...)
		model, j := connect(t, srv, func(c *openai.Config) { c.APIKey = key })
		_, err := model.Complete(t.Context(), ask("hi"))
		printed := fmt.Sprintf("%v %+v %#v", err, err, typed(t, err).Err)
		for _, retry := range j.retries {
			printed += retry.Reason
		}
		assertSecret(t, printed, key, escaped)
		srv.AssertKey(t, key)
	}
}

// Nor does an answer bring it to the log or into a sandbox. A short key may be a
// word that the model says.
func TestTheKeyIsNotInAnswers(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{testKey: "[redacted]", "ollama": "ollama"} {
		srv := fakellm.New(t, fakellm.TextCalls("it is "+key, fakellm.Call{ID: "a", Name: "bash", Arguments: `{"command": "echo ` + key + `"}`}))
		model, _ := connect(t, srv, func(c *openai.Config) { c.APIKey = key })
		resp, err := model.Complete(t.Context(), ask("hi"))
		assert.NilError(t, err)
		assert.Equal(t, resp.Message.Text, "it is "+want)
		assert.Equal(t, resp.Message.ToolCalls[0].Arguments, `{"command": "echo `+want+`"}`)
	}
}

func TestTheKeyIsNotInCausesOrDescriptions(t *testing.T) {
	t.Parallel()
	cfg := openai.Config{
		APIKey: testKey, BaseURL: "http://me:pass-canary@localhost:1/v1", Model: "m", MaxAttempts: 1,
		HTTPClient: &http.Client{Transport: failing{errors.New("proxy says: Bearer " + testKey)}},
	}
	model, err := openai.New(cfg)
	assert.NilError(t, err)
	_, err = model.Complete(t.Context(), ask("hi"))
	e := typed(t, err)
	assert.ErrorContains(t, err, "[redacted]")
	printed := fmt.Sprintf("%v %+v %#v %v %v %+v %#v %v %+v %#v", err, e, e.Err, e.Err, cfg, cfg, cfg, model, model, model)
	assertSecret(t, printed, testKey, "pass-canary")
}

// failing is a transport that never gets through.
type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

func assertSecret(t *testing.T, printed string, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		assert.Assert(t, !strings.Contains(printed, secret), "%s", printed)
		// No half of it either.
		assert.Assert(t, !strings.Contains(printed, secret[:len(secret)*2/3]), "%s", printed)
	}
}
