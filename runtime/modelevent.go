package runtime

// ModelFacts says, when a model is asked for the first time, what is known of
// it. Numbers that are not known are left out.
type ModelFacts struct {
	Model     string `json:"model"`
	Known     bool   `json:"known"` // false: these are defaults that are safe with most
	Window    int    `json:"window,omitempty"`
	MaxOutput int    `json:"max_output,omitempty"`
	Images    bool   `json:"images"`
	Tools     bool   `json:"tools"`
	PricesOf  string `json:"prices_of,omitempty"` // the month of the prices
}

// ModelWait says that a call waits, so that all runs together keep to a limit.
type ModelWait struct {
	Model  string `json:"model"`
	WaitMS int64  `json:"wait_ms"`
}

// EventType names the event.
func (ModelFacts) EventType() string { return "model.facts" }

// EventType names the event.
func (ModelWait) EventType() string { return "model.wait" }
