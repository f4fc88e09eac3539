package suggest

import (
	"testing"

	"gotest.tools/v3/assert"
)

func TestDidYouMean(t *testing.T) {
	names := []string{"memory", "cpus", "max_turns"}
	for typed, want := range map[string]string{
		"memroy":    "; did you mean memory?",
		"cpu":       "; did you mean cpus?",
		"max_turn":  "; did you mean max_turns?",
		"sandwich":  "",
		"":          "",
		"max-turns": "; did you mean max_turns?",
	} {
		assert.Equal(t, DidYouMean(typed, names), want, "typed %q", typed)
	}
}
