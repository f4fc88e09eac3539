package config

import (
	"maps"
	"slices"
	"strings"
)

// Setting is one thing that can be configured, under one name in TOML, in the
// environment and on the command line.
type Setting struct {
	Section string // TOML table, which is also the group of its flag
	Name    string // TOML key in that table; unique where it has a variable or flag
	Env     string // variable, empty if it has none
	Flag    string // without dashes, empty if it has none
	Type    string // placeholder of its value, for example size
	Default string // what holds if nothing is said, as text
	Meaning string // one sentence, without a full stop

	// needsTrust says of a value whether a project file may not set it.
	needsTrust func(words []string) bool
	oneOf      string // of settings that share this name, one layer sets one
	shape      shape
	numeric    bool // TOML numbers serve as well as strings
	logical    bool // and so do TOML booleans
	choices    []string
	fact       bool // of one model, so that another one does not inherit it

	set   func(c *Config, in input) error
	show  func(c *Config) string
	clear func(c *Config)
}

// Key is the setting's name with its section, for example sandbox.memory.
func (s *Setting) Key() string { return s.Section + "." + s.Name }

// Value is the setting's value in a configuration as text; secrets stay secret.
func (s *Setting) Value(c Config) string { return s.show(&c) }

// Shown is Value for screens and records: of variables only the names are in it.
func (s *Setting) Shown(c Config) string {
	if s.Key() == keyEnv {
		return strings.Join(slices.Sorted(maps.Keys(c.Sandbox.Env)), ", ")
	}
	return s.Value(c)
}

// InProject says what a project file may do with the setting: "yes", "no", or
// "restricted" where it depends on the value.
func (s *Setting) InProject() string {
	switch {
	case s.needsTrust == nil:
		return "yes"
	case s.needsTrust(nil):
		return "no"
	}
	return "restricted"
}

// shape is the form of a setting's value.
type shape int

const (
	scalar shape = iota
	list         // TOML array; flag given repeatedly; variable of lines
	table        // TOML table; flag NAME=VALUE repeatedly; variable of lines
)

// input is a value as some layer spells it.
type input struct {
	words []string // one for a scalar, NAME=VALUE for a table
	dir   string   // relative paths start here, empty for the current directory
	home  string   // what ~ stands for
}

func (in input) text() string {
	if len(in.words) == 0 {
		return ""
	}
	return in.words[0]
}

// kind is how values of a type are read and shown.
type kind[T any] struct {
	name    string
	shape   shape
	numeric bool
	logical bool
	choices []string                         // all values there are, nil where that cannot be said
	parse   func(in input, old T) (T, error) // old is what weaker layers said
	show    func(T) string
}

type option func(*Setting)

// setting binds a kind to a field of the configuration. The name in the
// environment and on the command line follows from the key.
func setting[T any](key, meaning string, k kind[T], field func(*Config) *T, options ...option) Setting {
	section, name, _ := strings.Cut(key, ".")
	s := Setting{
		Section: section, Name: name, Type: k.name, Meaning: meaning, shape: k.shape, numeric: k.numeric, logical: k.logical, choices: k.choices,
		Env:  "DRYDOCK_" + strings.ToUpper(name),
		Flag: strings.ReplaceAll(name, "_", "-"),
		set: func(c *Config, in input) error {
			value, err := k.parse(in, *field(c))
			if err == nil {
				*field(c) = value
			}
			return err
		},
		show:  func(c *Config) string { return k.show(*field(c)) },
		clear: func(c *Config) { *field(c) = *new(T) },
	}
	builtin := Default()
	s.Default = s.show(&builtin)
	for _, o := range options {
		o(&s)
	}
	return s
}

// withEnv gives a setting the variable that other programs use for it.
func withEnv(name string) option { return func(s *Setting) { s.Env = name } }

// withoutFlag is for what other users of the machine must not see.
func withoutFlag() option { return func(s *Setting) { s.Flag = "" } }

func withDefault(text string) option { return func(s *Setting) { s.Default = text } }

// asKey is for the places that a key can come from.
func asKey() option { return func(s *Setting) { s.oneOf = "key" } }

// trusted keeps a setting out of project files.
func trusted() option {
	return trustedIf(func([]string) bool { return true })
}

// trustedIf keeps some values of a setting out of project files.
func trustedIf(f func(words []string) bool) option {
	return func(s *Setting) { s.needsTrust = f }
}
