package llm

// Facts is what is known of a model beyond its name. The zero value knows
// nothing: no limit, no price, and no ability that has been confirmed.
type Facts struct {
	// Known says that the facts are of this model. Otherwise they are defaults
	// that are safe with most.
	Known bool
	// Window is how many tokens the model reads and writes in all; 0 is unknown.
	Window int
	// MaxOutput is the longest answer in tokens; 0 is unknown.
	MaxOutput int
	// Images says that messages may hold pictures.
	Images bool
	// Tools says that the model calls tools, ParallelTools that it calls several
	// in one answer.
	Tools, ParallelTools bool
	// Prices is nil where they are not known. They are never guessed.
	Prices *Prices
}

// Prices are in US dollars for a million tokens.
type Prices struct {
	Input  float64 // read, and not from the provider's cache
	Cached float64 // read from the provider's cache
	Output float64 // written
	AsOf   string  // the month they were looked up, as 2025-12
}

// Cost is what an answer costs in US dollars.
func (p Prices) Cost(u Usage) float64 {
	const million = 1e6
	fresh := max(0, u.InputTokens-u.CachedTokens)
	return (float64(fresh)*p.Input + float64(u.CachedTokens)*p.Cached + float64(u.OutputTokens)*p.Output) / million
}
