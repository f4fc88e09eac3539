package config

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func logical() kind[bool] {
	return kind[bool]{name: "bool", logical: true, show: strconv.FormatBool, parse: func(in input, _ bool) (bool, error) {
		switch in.text() {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
		return false, fmt.Errorf("%q is not allowed; write true or false", in.text())
	}}
}

// unsaid shows a value that may not have been said.
func unsaid[T any](show func(T) string) func(*T) string {
	return func(value *T) string {
		if value == nil {
			return ""
		}
		return show(*value)
	}
}

// said reads a value that need not be said.
func said[T any](k kind[T]) kind[*T] {
	return kind[*T]{
		name: k.name, numeric: k.numeric, logical: k.logical, shape: k.shape, show: unsaid(k.show),
		parse: func(in input, _ *T) (*T, error) {
			var none T
			value, err := k.parse(in, none)
			return &value, err
		},
	}
}

func maybe() kind[*bool] { return said(logical()) }

func tokens() kind[*int] { return said(count(1, 1_000_000_000)) }

// parameters are those that a model can refuse.
func parameters() kind[[]string] {
	known := []string{"temperature", "max_tokens"}
	return kind[[]string]{
		name: "name", shape: list, show: func(all []string) string { return strings.Join(all, ", ") },
		parse: func(in input, _ []string) ([]string, error) {
			for _, word := range in.words {
				if !slices.Contains(known, word) {
					return nil, fmt.Errorf("%q is not a parameter; allowed are %s", word, strings.Join(known, " and "))
				}
			}
			return append([]string{}, in.words...), nil
		},
	}
}

// maxPrice is far above any, and far from overflowing.
const maxPrice = 1e6

func prices() kind[*Prices] {
	return said(kind[Prices]{
		name: "prices", shape: table, numeric: true,
		show: func(p Prices) string {
			return fmt.Sprintf("input=%g, cached=%g, output=%g", p.Input, p.Cached, p.Output)
		},
		parse: func(in input, _ Prices) (Prices, error) {
			found := map[string]float64{}
			for _, word := range in.words {
				name, value, _ := strings.Cut(word, "=")
				if !slices.Contains([]string{"input", "cached", "output"}, name) {
					return Prices{}, fmt.Errorf("%q is not a price; they are input, cached and output", name)
				}
				n, err := number(value, 0, maxPrice)
				if err != nil {
					return Prices{}, fmt.Errorf("%s: %w", name, err)
				}
				found[name] = n
			}
			input, hasInput := found["input"]
			output, hasOutput := found["output"]
			if !hasInput || !hasOutput {
				return Prices{}, errors.New("input and output are both needed, in dollars for a million tokens")
			}
			cached, ok := found["cached"]
			if !ok {
				cached = input
			}
			return Prices{Input: input, Cached: cached, Output: output}, nil
		},
	})
}

// profilePattern is what the NAME of [llm.NAME] looks like.
var profilePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

func profileName() kind[string] {
	return kind[string]{name: "profile", show: same, parse: func(in input, _ string) (string, error) {
		if !profilePattern.MatchString(in.text()) {
			return "", fmt.Errorf("%q is not the name of a profile; write the NAME of a section [llm.NAME]", in.text())
		}
		return in.text(), nil
	}}
}
