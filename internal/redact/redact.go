// Package redact takes secrets out of texts.
package redact

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Mark stands where a secret was.
const Mark = "[redacted]"

// minLen spares texts from having a word replaced wherever it stands because it
// is also the key of a local server, or the value of a variable.
const minLen = 8

// Secrets are texts that must not be written anywhere. The zero value knows
// none. It is safe for concurrent use.
type Secrets struct {
	mu       sync.Mutex
	spelled  []spelling // the longest first
	replaced map[string]bool
}

// spelling is a secret in one of the ways it can be written.
type spelling struct{ name, text string }

// Add makes a secret known under a name that may be shown. One of fewer than 8
// bytes is not: it may be an ordinary word.
func (s *Secrets) Add(name, secret string) {
	if len(secret) < minLen {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, text := range []string{secret, inJSON(secret), url.QueryEscape(secret), url.PathEscape(secret)} {
		if !slices.Contains(s.spelled, spelling{name, text}) {
			s.spelled = append(s.spelled, spelling{name, text})
		}
	}
	slices.SortStableFunc(s.spelled, func(a, b spelling) int { return len(b.text) - len(a.text) })
}

// inJSON is a text as it stands between the quotes of a JSON string.
func inJSON(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		return text
	}
	return string(raw[1 : len(raw)-1])
}

// Clean is a text with Mark in place of every secret, as it is, as in JSON and
// as in an address.
func (s *Secrets) Clean(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, secret := range s.spelled {
		if !strings.Contains(text, secret.text) {
			continue
		}
		text = strings.ReplaceAll(text, secret.text, Mark)
		if s.replaced == nil {
			s.replaced = map[string]bool{}
		}
		s.replaced[secret.name] = true
	}
	return text
}

// Replaced gives the names of the secrets that Clean has found, in order.
func (s *Secrets) Replaced() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for name := range s.replaced {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
