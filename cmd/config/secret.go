package config

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"unicode/utf8"
)

// Secret holds a value that must not be printed. Every way of printing it says
// only whether it is set and how long it is; Reveal gives the value. The zero
// Secret is not set.
type Secret struct {
	// A pointer, so that printing a struct that keeps a Secret in an
	// unexported field, where fmt calls no methods, shows an address.
	value *string
}

// NewSecret keeps a value. An empty value gives a Secret that is not set.
func NewSecret(value string) Secret {
	if value == "" {
		return Secret{}
	}
	return Secret{value: &value}
}

// Reveal is the value itself, empty if none is set.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// IsSet says whether there is a value.
func (s Secret) IsSet() bool { return s.value != nil }

// String describes the secret without revealing it.
func (s Secret) String() string {
	if s.value == nil {
		return "not set"
	}
	return fmt.Sprintf("set (%d characters)", utf8.RuneCountInString(*s.value))
}

// GoString is String.
func (s Secret) GoString() string { return s.String() }

// Format writes String, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText gives String, for encoders of text formats.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON gives String as a JSON string.
func (s Secret) MarshalJSON() ([]byte, error) {
	raw, err := json.Marshal(s.String())
	if err != nil {
		return nil, fmt.Errorf("describe secret: %w", err)
	}
	return raw, nil
}

// LogValue gives String to loggers.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
