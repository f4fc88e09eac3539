package runtime

import "drydock/runtime/llm"

// MemoryTrimmed says that part of the conversation gave way, so that it fits the
// model's window.
type MemoryTrimmed struct {
	Turn   int    `json:"turn"`
	Why    string `json:"why"`    // "window": it would not have fitted; "refused": the server said so
	Before int    `json:"before"` // tokens of a request, estimated
	After  int    `json:"after"`

	Shortened int       `json:"shortened,omitempty"` // texts that were cut
	Images    int       `json:"images,omitempty"`    // images that were taken out
	Turns     int       `json:"turns,omitempty"`     // oldest turns that gave way
	By        string    `json:"by,omitempty"`        // what stands for them: "summary" or "list"
	Usage     llm.Usage `json:"usage,omitzero"`      // billed for the summary
	Failed    string    `json:"failed,omitempty"`    // why there is no summary although one was asked for
}

// EventType names the event.
func (MemoryTrimmed) EventType() string { return "memory.trimmed" }
