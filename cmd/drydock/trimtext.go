package main

import (
	"fmt"
	"strings"

	"drydock/runtime"
)

// trimText says on one line what gave way in a conversation.
func trimText(d runtime.MemoryTrimmed) string {
	var done []string
	if d.Shortened > 0 {
		done = append(done, fmt.Sprintf("%d observation(s) shortened", d.Shortened))
	}
	if d.Images > 0 {
		done = append(done, fmt.Sprintf("%d image(s) taken out", d.Images))
	}
	if d.Turns > 0 {
		done = append(done, fmt.Sprintf("%d turn(s) replaced by a %s", d.Turns, d.By))
	}
	text := fmt.Sprintf("conversation trimmed from about %d to %d tokens: %s", d.Before, d.After, strings.Join(done, ", "))
	if d.Failed != "" {
		text += "; there is no summary: " + oneLineOf(d.Failed)
	}
	return text
}
