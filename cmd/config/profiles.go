package config

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"drydock/cmd/suggest"
)

// The names that no profile can have: they mean [llm] itself, and nothing.
const (
	ProfileDefault = "default"
	ProfileNone    = "none"
)

// profiles are [llm] and all [llm.NAME], by name. Those of flagged have the
// flags over them.
type profiles struct{ plain, flagged map[string]LLM }

// profileLayer is what one file says of a profile.
type profileLayer struct {
	name string
	from Origin
	set  []profileValue
}

type profileValue struct {
	setting *Setting
	in      input
}

// HasProfile says that there is a section [llm.NAME].
func (c Config) HasProfile(name string) bool {
	_, ok := c.profiles.plain[name]
	return ok && name != ProfileDefault
}

// Profile gives the settings of [llm.NAME] with what it inherits from [llm], and
// [llm] itself for the name default. What flags say is not in it: they are for
// the model that does the work.
func (c Config) Profile(name string) (LLM, error) { return c.profiles.get(c.profiles.plain, name) }

// MainProfile is Profile for the model that does the work: flags go over it.
func (c Config) MainProfile(name string) (LLM, error) {
	return c.profiles.get(c.profiles.flagged, name)
}

func (p profiles) get(from map[string]LLM, name string) (LLM, error) {
	llm, ok := from[name]
	if !ok {
		names := slices.Sorted(maps.Keys(p.plain))
		return LLM{}, &Error{Key: SectionLLM + "." + name, Reason: fmt.Sprintf(
			"there is no such profile%s; the profiles are: %s", suggest.DidYouMean(name, names), strings.Join(names, ", "))}
	}
	return llm, nil
}

// sectionOf is the section whose settings a section has.
func sectionOf(section string) string {
	if strings.HasPrefix(section, SectionLLM+".") {
		return SectionLLM
	}
	return section
}

// profile notes what a file says of a profile. It is applied when all of [llm]
// is known.
func (l *loader) profile(from fileSource, name string, values map[string]any) {
	section, file := SectionLLM+"."+name, from.name
	if !profilePattern.MatchString(name) || name == ProfileDefault || name == ProfileNone {
		l.problems.add(file, section, "a profile cannot have this name; use letters, digits, - and _, and not default or none%s", l.nearest(SectionLLM, name))
		return
	}
	p := profileLayer{name: name, from: from.origin()}
	var set []*Setting
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if s, in, ok := l.read(from, section, key, values[key]); ok {
			p.set = append(p.set, profileValue{s, in})
			set = append(set, s)
		}
	}
	l.onlyOne(set, file)
	l.profiles = append(l.profiles, p)
}

// makeProfiles completes all profiles once files and variables are read.
func (l *loader) makeProfiles() {
	base := Config{LLM: l.cfg.LLM}
	made := map[string]*Config{ProfileDefault: &base}
	for _, p := range l.profiles {
		if made[p.name] == nil {
			c := Config{LLM: base.LLM}
			c.LLM.Profile = p.name
			made[p.name] = &c
		}
		l.overlay(made[p.name], p)
	}
	l.cfg.profiles = profiles{plain: map[string]LLM{}, flagged: map[string]LLM{}}
	for name, c := range made {
		l.cfg.profiles.plain[name] = c.LLM
		l.applyFlags(c)
		l.cfg.profiles.flagged[name] = c.LLM
	}
}

// overlay puts what a file says over what a profile has so far. What belongs to
// another model or another server is not inherited: no key goes to a server that
// it was not meant for.
func (l *loader) overlay(c *Config, p profileLayer) {
	before := c.LLM
	for _, v := range p.set {
		if v.setting.Name == "model" {
			c.LLM.Facts, c.LLM.Deployment = Facts{}, ""
		}
		if v.setting.oneOf == "key" {
			c.LLM.dropKey()
		}
	}
	for _, v := range p.set {
		key := SectionLLM + "." + p.name + "." + v.setting.Name
		if err := v.setting.set(c, v.in); err != nil {
			l.problems.add(p.from.Where, key, "%v", err)
		}
		l.origins[key] = p.from
	}
	own := slices.ContainsFunc(p.set, func(v profileValue) bool { return v.setting.oneOf == "key" })
	if !own && server(before) != server(c.LLM) {
		c.LLM.dropKey()
	}
}

func (l *LLM) dropKey() {
	l.APIKey, l.APIKeyFile, l.APIKeyCommand, l.APIKeyEnv = Secret{}, "", "", ""
}

// server is what a key is meant for.
func server(l LLM) string {
	u, err := url.Parse(l.BaseURL)
	if err != nil {
		return l.BaseURL
	}
	return u.Scheme + "://" + u.Host
}

// applyFlags puts the flags of [llm] over a profile; mistakes in them are told
// when the flags are read.
func (l *loader) applyFlags(c *Config) {
	for i := range l.settings {
		s := &l.settings[i]
		words, ok := flagWords(l.sources.Flags, s.Flag)
		if !ok || s.Section != SectionLLM {
			continue
		}
		if s.Name == "model" {
			c.LLM.Facts, c.LLM.Deployment = Facts{}, ""
		}
		_ = s.set(c, input{words: words, dir: l.sources.Dir, home: l.sources.Home})
	}
}

// KeyVariables are the environment variables that hold keys of models, whichever
// profile reads them.
func (c Config) KeyVariables() []string {
	names := []string{"OPENAI_API_KEY"}
	for _, set := range []map[string]LLM{c.profiles.plain, c.profiles.flagged} {
		for _, l := range set {
			if l.APIKeyEnv != "" && !slices.Contains(names, l.APIKeyEnv) {
				names = append(names, l.APIKeyEnv)
			}
		}
	}
	slices.Sort(names)
	return names
}
