package redact_test

import (
	"testing"

	"gotest.tools/v3/assert"

	"drydock/internal/redact"
)

func TestSecretsAreTakenOutInEverySpelling(t *testing.T) {
	t.Parallel()
	var secrets redact.Secrets
	secrets.Add("key", `sk-1/2+3"4\5`)
	secrets.Add("TOKEN", "line one\nline two")
	for text, want := range map[string]string{
		`a sk-1/2+3"4\5 b`:                  "a [redacted] b",
		`{"command":"echo sk-1/2+3\"4\\5"}`: `{"command":"echo [redacted]"}`,
		"https://h/?k=sk-1%2F2%2B3%224%5C5": "https://h/?k=[redacted]",
		"line one\nline two\n":              "[redacted]\n",
		`{"x":"line one\nline two"}`:        `{"x":"[redacted]"}`,
		"line one":                          "line one",
		"":                                  "",
	} {
		assert.Equal(t, secrets.Clean(text), want)
	}
	assert.DeepEqual(t, secrets.Replaced(), []string{"TOKEN", "key"})
}

// A secret that holds another one is taken out whole.
func TestTheLongerSecretComesFirst(t *testing.T) {
	t.Parallel()
	var secrets redact.Secrets
	secrets.Add("short", "password")
	secrets.Add("long", "password-and-more")
	assert.Equal(t, secrets.Clean("password-and-more, password"), "[redacted], [redacted]")
}

func TestOrdinaryWordsStay(t *testing.T) {
	t.Parallel()
	var secrets redact.Secrets
	secrets.Add("key", "EMPTY")
	secrets.Add("none", "")
	assert.Equal(t, secrets.Clean("the list is EMPTY"), "the list is EMPTY")
	assert.Equal(t, len(secrets.Replaced()), 0)
}
