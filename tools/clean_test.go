package tools_test

import (
	"testing"

	"gotest.tools/v3/assert"

	"drydock/tools"
)

// What a program prints is read by a model, and by a person on a terminal.
func TestClean(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"plain\ttext\n":                        "plain\ttext\n",
		"\x1b[31mred\x1b[0m":                   "red",
		"a\r\nb\rc":                            "a\nb\nc",
		"\x1b]0;title\x07a":                    "a",
		"\x1b]8;;http://x\x1b\\link\x1b]8;;\a": "link",
		"\x1b]52;c;aGk=\x1b\\a":                "a",
		"\x1bP1$qm\x1b\\a\x1b^x\x1b\\b":        "ab",
		"a\x1b[2Jb\x1b[5A\x1b[1;1Hc\x1bcd":     "abcd",
		"\u009b31ma":                           "\ufffd31ma",
		"a\x00\x08\x7f":                        "a\u2400\u2408\u2421",
		"if \u202e\u2066x":                     "if \ufffd\ufffdx",
		"\xff":                                 "\ufffd",
		// A sequence without an end hides nothing that comes after its line.
		"a\x1b]0;never ended\nb\nc": "a\nb\nc",
		"a\x1bPnever ended\r\nb":    "a\nb",
		"a\x1b[\nb":                 "a\nb",
	} {
		assert.Equal(t, tools.Clean([]byte(raw)), want, "%q", raw)
	}
}
