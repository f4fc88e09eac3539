package config

// Layer is a place that values come from. A greater one wins.
type Layer int

// The layers, weakest first.
const (
	LayerDefault     Layer = iota
	LayerUser              // the user's own file
	LayerProject           // drydock.toml, which the repository's authors wrote
	LayerGiven             // the file a person gave with --config, instead of it
	LayerProfile           // the profile that was chosen with --profile, of any of the files
	LayerEnvironment       // variables
	LayerRecord            // what a run was recorded with that is to be repeated
	LayerFlag              // the command line
)

// String names the layer.
func (l Layer) String() string {
	switch l {
	case LayerUser:
		return "user file"
	case LayerProject:
		return "project file"
	case LayerGiven:
		return "given file"
	case LayerProfile:
		return "profile"
	case LayerEnvironment:
		return "environment"
	case LayerRecord:
		return "record"
	case LayerFlag:
		return "flag"
	}
	return "default"
}

// Origin says where a value came from.
type Origin struct {
	Layer Layer
	Where string // file, variable or --flag; empty for a default
}

// String is the origin as people read it.
func (o Origin) String() string {
	if o.Where == "" {
		return o.Layer.String()
	}
	return o.Layer.String() + " " + o.Where
}

// Origins says for each setting, by its Key, where its value came from. Of
// settings that add up over the layers, it names the strongest that added.
type Origins map[string]Origin
