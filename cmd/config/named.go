package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"drydock/cmd/suggest"
)

// sectionProfiles holds a table of sections for each name: [profiles.NAME.run].
const sectionProfiles = "profiles"

// namedLayer is what one file says under [profiles.NAME].
type namedLayer struct {
	from     fileSource
	name     string
	sections map[string]any
}

// keepNamed notes the profiles of a file. They are looked at when one is chosen.
func (l *loader) keepNamed(from fileSource, values map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		sections, ok := values[name].(map[string]any)
		switch {
		case !profilePattern.MatchString(name):
			l.problems.add(from.name, sectionProfiles+"."+name, "a profile cannot have this name; use letters, digits, - and _")
		case !ok:
			l.problems.add(from.name, sectionProfiles+"."+name, "it must be a table of sections: write [profiles.NAME.run]")
		default:
			l.named = append(l.named, namedLayer{from, name, sections})
			l.cfg.Profiles = append(l.cfg.Profiles, name)
		}
	}
	slices.Sort(l.cfg.Profiles)
	l.cfg.Profiles = slices.Compact(l.cfg.Profiles)
}

// chosen puts the profile that a person chose over what the files say. Each part
// of it may set what its file may.
func (l *loader) chosen() {
	name, where := l.given(profileFlag, profileEnv)
	name = cmp.Or(l.sources.Profile, name)
	if name == "" {
		return
	}
	if !slices.Contains(l.cfg.Profiles, name) {
		l.problems.add(where, "", "there is no profile %q%s", name, l.nearestNamed(name))
		return
	}
	for _, n := range l.named {
		if n.name == name {
			l.applyNamed(n)
		}
	}
}

func (l *loader) applyNamed(n namedLayer) {
	key := sectionProfiles + "." + n.name
	from := n.from
	from.layer = LayerProfile
	for _, section := range slices.Sorted(maps.Keys(n.sections)) {
		values, ok := n.sections[section].(map[string]any)
		switch {
		case slices.Contains(tableSections(), section):
			l.problems.add(from.name, key+"."+section, "a profile cannot have this section; it can have %s", strings.Join(l.sections(), ", "))
		case !slices.Contains(l.sections(), section):
			l.problems.add(from.name, key+"."+section, "there is no such section%s", l.nearestSection(section))
		case !ok:
			l.problems.add(from.name, key+"."+section, "it must be a table: write [%s.%s]", key, section)
		default:
			l.section(from, section, values)
		}
	}
}

func (l *loader) nearestNamed(name string) string {
	if len(l.cfg.Profiles) == 0 {
		return fmt.Sprintf("; no file has any, so write [%s.%s.run] into %s", sectionProfiles, name, l.sources.UserFile())
	}
	return suggest.DidYouMean(name, l.cfg.Profiles) + "; the profiles are: " + strings.Join(l.cfg.Profiles, ", ")
}

// sectionCommands holds flags that are no settings: [commands.run] for those of
// run, [commands.runs.list] for those of runs list.
const sectionCommands = "commands"

// CommandFlags are the flags of commands as a file has them, unread.
type CommandFlags struct {
	Values map[string]any // a table for each command
	Origin Origin
}

// keepCommands notes the flags of commands. The command line reads them: only it
// knows its commands. What they can do, such as writing files, is not for
// the authors of a repository to say.
func (l *loader) keepCommands(from fileSource, values map[string]any) {
	if !from.trusted {
		l.problems.add(from.name, sectionCommands, "a project file may not set flags of commands; set them in %s, the environment or with --config", l.sources.UserFile())
		return
	}
	l.cfg.Commands = append(l.cfg.Commands, CommandFlags{values, from.origin()})
}
