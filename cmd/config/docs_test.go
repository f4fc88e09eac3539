package config_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"

	"drydock/cmd/config"
)

const (
	document = "../../docs/configuration.md"
	begin    = "<!-- settings: written by go test ./cmd/config -update -->\n"
	end      = "<!-- end of settings -->\n"
)

func TestDocumentationListsEverySetting(t *testing.T) {
	raw, err := os.ReadFile(document)
	assert.NilError(t, err)
	before, rest, ok := strings.Cut(string(raw), begin)
	assert.Assert(t, ok, "%s has no line %q", document, begin)
	table, after, ok := strings.Cut(rest, end)
	assert.Assert(t, ok, "%s has no line %q", document, end)
	if golden.FlagUpdate() {
		assert.NilError(t, os.WriteFile(document, []byte(before+begin+settingsTable()+end+after), 0o644))
		return
	}
	assert.Equal(t, table, settingsTable(), "run go test ./cmd/config -update")
}

func settingsTable() string {
	var b strings.Builder
	section := ""
	for _, s := range config.Settings() {
		if s.Section != section {
			section = s.Section
			fmt.Fprintf(&b, "\n### [%s]\n\n| key | variable | flag | default | meaning | project file |\n|---|---|---|---|---|---|\n", section)
		}
		flag := code("", "")
		if s.Flag != "" {
			flag = code("--", s.Flag+" "+s.Type)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", code("", s.Name), code("", s.Env), flag, s.Default, s.Meaning, s.InProject())
	}
	return b.String() + "\n"
}

func code(prefix, text string) string {
	if text == "" {
		return "–"
	}
	return "`" + prefix + text + "`"
}
