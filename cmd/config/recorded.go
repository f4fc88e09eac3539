package config

// Record is what a run was configured with, as text by Key, to be kept with the
// run: the settings of the sandbox and the run, not those of the model. Of
// variables only the names are in it.
func Record(c Config) map[string]string {
	recorded := map[string]string{}
	for _, s := range Settings() {
		if recordable(s) {
			recorded[s.Key()] = s.Shown(c)
		}
	}
	return recorded
}

// Settings that a record treats in a way of its own.
const (
	keyEnv     = "sandbox.env"
	keyRunsDir = "run.runs_dir"
)

// recordable says whether a setting is part of a record: those are not that say
// which model is asked, and where runs are kept.
func recordable(s Setting) bool {
	return !s.OfModel() && s.Key() != keyRunsDir
}

// Difference is a setting that is not as it was recorded.
type Difference struct {
	Setting  Setting
	Recorded string
	Now      string
}

// Differences compares a configuration with a record. Settings that the record
// does not know are as they are.
func Differences(c Config, recorded map[string]string) []Difference {
	now := Record(c)
	var list []Difference
	for _, s := range Settings() {
		if was, ok := recorded[s.Key()]; ok && was != now[s.Key()] {
			list = append(list, Difference{Setting: s, Recorded: was, Now: now[s.Key()]})
		}
	}
	return list
}

// recorded applies what was kept with a run. Whoever wrote that file is trusted
// no further than a project file: what it may not say is left as it is.
func (l *loader) recorded() {
	for i := range l.settings {
		s := &l.settings[i]
		text, ok := l.sources.Recorded[s.Key()]
		if !ok || !recordable(*s) || s.shape != scalar || text == s.Value(l.cfg) {
			continue
		}
		words := []string{text}
		if s.needsTrust != nil && s.needsTrust(words) {
			continue
		}
		l.apply(s, input{words: words, dir: l.sources.Dir, home: l.sources.Home}, Origin{LayerRecord, "the record"})
	}
}
