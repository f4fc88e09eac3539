package config

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"drydock/cmd/suggest"
)

// ProjectFile is the configuration file of a project, looked for in the
// current directory.
const ProjectFile = "drydock.toml"

// Sources says where the layers are.
type Sources struct {
	Flags  *pflag.FlagSet      // with AddFlags; nil for none
	Getenv func(string) string // os.Getenv; an empty variable counts as unset
	Dir    string              // current directory
	Home   string              // what ~ stands for
	// Profile is the one to choose, whatever flags and variables say.
	Profile string
	// Recorded is what Record gave for a run that is to be repeated.
	Recorded map[string]string
}

// UserFile is the path of the user's own file.
func (s Sources) UserFile() string {
	return filepath.Join(s.base("XDG_CONFIG_HOME", ".config"), "drydock", "config.toml")
}

// base is an XDG base directory. One that is not absolute is ignored, as the
// XDG specification wants.
func (s Sources) base(variable, fallback string) string {
	if dir := s.Getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(s.Home, fallback)
}

// Load brings the layers together. Every mistake found is in the error, which
// joins values of type *Error. Origins says where each value came from.
func Load(sources Sources) (Config, Origins, error) {
	l := loader{sources: sources, cfg: Default(), origins: Origins{}, settings: Settings()}
	l.cfg.Run.RunsDir = filepath.Join(sources.base("XDG_STATE_HOME", ".local/state"), "drydock", "runs")
	for i := range l.settings {
		l.origins[l.settings[i].Key()] = Origin{}
	}
	l.files()
	l.chosen()
	l.environment()
	l.recorded()
	l.makeProfiles()
	l.flags()
	if l.cfg.Sandbox.MaxTimeout < l.cfg.Sandbox.Timeout {
		l.problems.add(l.origins["sandbox.tool_timeout"].Where, "sandbox.tool_timeout", "%s is more than sandbox.max_tool_timeout, %s",
			durationText(l.cfg.Sandbox.Timeout), durationText(l.cfg.Sandbox.MaxTimeout))
	}
	return l.cfg, l.origins, l.problems.err()
}

// loader applies one layer after the other, the weakest first.
type loader struct {
	sources  Sources
	settings []Setting
	cfg      Config
	origins  Origins
	problems problems
	profiles []profileLayer // of the files, the weakest first
	named    []namedLayer   // likewise
}

// fileSource is a file that is being read, and what it is worth.
type fileSource struct {
	layer   Layer
	name    string
	trusted bool // not written by the authors of a repository
}

func (f fileSource) origin() Origin { return Origin{f.layer, f.name} }

func (l *loader) files() {
	l.file(LayerUser, l.sources.UserFile(), true)
	if given, where := l.given(configFlag, configEnv); given != "" {
		if _, err := os.Stat(l.inDir(given)); err != nil {
			l.problems = append(l.problems, &Error{Where: where, Reason: "no such file: " + given})
			return
		}
		l.file(LayerGiven, l.inDir(given), false)
		return
	}
	l.file(LayerProject, l.inDir(ProjectFile), true)
}

// given is the value of a flag that is no setting, or of its variable.
func (l *loader) given(flag, variable string) (value, where string) {
	if words, ok := flagWords(l.sources.Flags, flag); ok {
		return words[0], "--" + flag
	}
	return l.sources.Getenv(variable), variable
}

func (l *loader) inDir(name string) string {
	return input{dir: l.sources.Dir, home: l.sources.Home}.path(name)
}

// file applies a file's sections in order of their names.
func (l *loader) file(layer Layer, name string, optional bool) {
	from := fileSource{layer, name, layer != LayerProject}
	top, err := readFile(name, optional)
	if err != nil {
		l.problems = append(l.problems, err)
		return
	}
	if top != nil {
		l.cfg.Files = append(l.cfg.Files, from.origin())
	}
	for _, section := range slices.Sorted(maps.Keys(top)) {
		values, ok := top[section].(map[string]any)
		switch {
		case !slices.Contains(tableSections(), section) && !slices.Contains(l.sections(), section):
			l.problems.add(name, section, "there is no such section%s", l.nearestSection(section))
		case !ok:
			l.problems.add(name, section, "it must be a table: write [%s]", section)
		case section == sectionMCP:
			l.servers(from, values)
		case section == sectionProfiles:
			l.keepNamed(from, values)
		case section == sectionCommands:
			l.keepCommands(from, values)
		default:
			l.section(from, section, values)
		}
	}
}

func (l *loader) section(from fileSource, section string, values map[string]any) {
	var set []*Setting
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if profile, ok := values[name].(map[string]any); ok && section == SectionLLM && l.find(section, name) == nil {
			l.profile(from, name, profile)
			continue
		}
		s, in, ok := l.read(from, section, name, values[name])
		if ok && l.apply(s, in, from.origin()) {
			set = append(set, s)
		}
	}
	l.onlyOne(set, from.name)
}

// read finds the setting of a key and checks that the file may set it.
func (l *loader) read(from fileSource, section, name string, value any) (*Setting, input, bool) {
	known, key, file := sectionOf(section), section+"."+name, from.name
	s := l.find(known, name)
	if s == nil {
		l.problems.add(file, key, "there is no such key%s", l.nearest(known, name))
		return nil, input{}, false
	}
	words, err := s.words(value)
	if err != nil {
		l.problems.add(file, key, "%v", err)
		return nil, input{}, false
	}
	if !from.trusted && s.needsTrust != nil && s.needsTrust(words) {
		l.problems.add(file, key, "a project file may not set this; set it in %s, the environment or with --config", l.sources.UserFile())
		return nil, input{}, false
	}
	return s, input{words: words, dir: filepath.Dir(file), home: l.sources.Home}, true
}

func (l *loader) environment() {
	var set []*Setting
	for i := range l.settings {
		s := &l.settings[i]
		if s.Env == "" || l.sources.Getenv(s.Env) == "" {
			continue
		}
		in := input{words: []string{l.sources.Getenv(s.Env)}, dir: l.sources.Dir, home: l.sources.Home}
		if s.shape != scalar {
			in.words = strings.FieldsFunc(in.words[0], func(r rune) bool { return r == '\n' })
		}
		if l.apply(s, in, Origin{LayerEnvironment, s.Env}) {
			set = append(set, s)
		}
	}
	l.onlyOne(set, "the environment")
}

func (l *loader) flags() {
	for i := range l.settings {
		s := &l.settings[i]
		words, ok := flagWords(l.sources.Flags, s.Flag)
		if !ok {
			continue
		}
		l.apply(s, input{words: words, dir: l.sources.Dir, home: l.sources.Home}, Origin{LayerFlag, "--" + s.Flag})
	}
}

// apply sets a value and notes where it came from. Alternatives that weaker
// layers set give way.
func (l *loader) apply(s *Setting, in input, from Origin) bool {
	model := l.cfg.LLM.Model
	if err := s.set(&l.cfg, in); err != nil {
		l.problems.add(from.Where, s.Key(), "%v", err)
		return false
	}
	l.origins[s.Key()] = from
	for i := range l.settings {
		other := &l.settings[i]
		if other.fact && l.cfg.LLM.Model != model && l.origins[other.Key()].Layer != from.Layer {
			other.clear(&l.cfg) // it was said of another model
			l.origins[other.Key()] = Origin{}
		}
		if s.oneOf == "" || other.oneOf != s.oneOf || other.Key() == s.Key() || l.origins[other.Key()].Layer == from.Layer {
			continue
		}
		other.clear(&l.cfg)
		l.origins[other.Key()] = Origin{}
	}
	return true
}

// onlyOne refuses two alternatives of one layer: which counts would be a guess.
func (l *loader) onlyOne(set []*Setting, where string) {
	first := map[string]*Setting{}
	for _, s := range set {
		if s.oneOf == "" {
			continue
		}
		if other := first[s.oneOf]; other != nil {
			l.problems.add(where, s.Key(), "%s is set as well; keep one of them", other.Key())
		}
		first[s.oneOf] = s
	}
}

func (l *loader) find(section, name string) *Setting {
	for i := range l.settings {
		if s := &l.settings[i]; s.Section == section && s.Name == name {
			return s
		}
	}
	return nil
}

// tableSections are the sections that hold a table for each name.
func tableSections() []string { return []string{sectionMCP, sectionProfiles, sectionCommands} }

func (l *loader) sections() []string {
	var names []string
	for i := range l.settings {
		if s := l.settings[i].Section; !slices.Contains(names, s) {
			names = append(names, s)
		}
	}
	return names
}

// nearestSection names the section that was meant, or the key whose section is
// missing.
func (l *loader) nearestSection(name string) string {
	for i := range l.settings {
		if s := &l.settings[i]; s.Name == name {
			return fmt.Sprintf("; did you mean %s?", s.Key())
		}
	}
	return suggest.DidYouMean(name, append(l.sections(), tableSections()...))
}

// nearest names the key that was meant, in this section or in another one.
func (l *loader) nearest(section, name string) string {
	var here, all []string
	for i := range l.settings {
		s := &l.settings[i]
		if s.Name == name {
			return fmt.Sprintf("; did you mean %s?", s.Key())
		}
		all = append(all, s.Key())
		if s.Section == section {
			here = append(here, s.Name)
		}
	}
	if hint := suggest.DidYouMean(name, here); hint != "" {
		return hint
	}
	return suggest.DidYouMean(section+"."+name, all)
}
