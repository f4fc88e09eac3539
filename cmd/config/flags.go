package config

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// What chooses files and profiles is no setting itself, but has a flag and a
// variable like one.
const (
	configFlag  = "config" // a file to read instead of the project's
	configEnv   = "DRYDOCK_CONFIG"
	profileFlag = "profile" // tables of the files to put over the others
	profileEnv  = "DRYDOCK_PROFILE"
)

// sectionAnnotation marks the flags of settings.
const sectionAnnotation = "drydock_section"

// SectionOf is the section of a flag that AddFlags made for a setting, and empty
// for any other flag.
func SectionOf(f *pflag.Flag) string {
	if section := f.Annotations[sectionAnnotation]; len(section) == 1 {
		return section[0]
	}
	return ""
}

// Chooses says that a flag chooses files or profiles of the configuration.
func Chooses(f *pflag.Flag) bool { return f.Name == configFlag || f.Name == profileFlag }

// AddFlags adds --config, --profile and the flags of the settings whose keys are named, of
// all if none is. What they were given is looked at by Load, so that a bad value
// is told like that of any other layer.
func AddFlags(fs *pflag.FlagSet, keys ...string) {
	fs.Var(&flagValue{kind: "file"}, configFlag, "configuration file to read instead of "+ProjectFile+" ["+configEnv+"]")
	fs.Var(&flagValue{kind: "name"}, profileFlag, "profile [profiles.NAME] of the configuration files to put over the rest of them ["+profileEnv+"]")
	for _, s := range Settings() {
		if s.Flag == "" || (len(keys) > 0 && !slices.Contains(keys, s.Key())) {
			continue
		}
		usage := s.Meaning
		if s.shape != scalar {
			usage += "; can be given repeatedly"
		}
		if s.Env != "" {
			usage += " [" + s.Env + "]"
		}
		f := fs.VarPF(&flagValue{kind: s.Type, many: s.shape != scalar}, s.Flag, "", usage)
		f.DefValue = s.Default
		f.Annotations = map[string][]string{sectionAnnotation: {s.Section}}
	}
}

// flagValue keeps what a flag was given, unread.
type flagValue struct {
	kind  string
	many  bool
	words []string
}

// String is what was given.
func (v *flagValue) String() string { return strings.Join(v.words, ", ") }

// Set keeps the last word, or all of them.
func (v *flagValue) Set(word string) error {
	if !v.many {
		v.words = nil
	}
	v.words = append(v.words, word)
	return nil
}

// Type is what usage texts show for the value.
func (v *flagValue) Type() string { return v.kind }

// flagWords gives the words of a flag of AddFlags that was given.
func flagWords(fs *pflag.FlagSet, name string) ([]string, bool) {
	if fs == nil || name == "" {
		return nil, false
	}
	f := fs.Lookup(name)
	if f == nil || !f.Changed {
		return nil, false
	}
	v, ok := f.Value.(*flagValue)
	if !ok {
		return nil, false
	}
	return v.words, true
}
