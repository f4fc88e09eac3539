package config_test

import (
	"os"
	"regexp"
	"testing"

	"gotest.tools/v3/assert"
)

var tomlBlock = regexp.MustCompile("(?s)```toml\n(.*?)```")

// Every example of the documentation is one that can be used.
func TestExamplesOfTheDocumentationLoad(t *testing.T) {
	for name, least := range map[string]int{"../../docs/models.md": 9, "../../docs/configuration.md": 1} {
		text, err := os.ReadFile(name)
		assert.NilError(t, err)
		blocks := tomlBlock.FindAllStringSubmatch(string(text), -1)
		assert.Assert(t, len(blocks) >= least, "%s has %d examples", name, len(blocks))
		for _, block := range blocks {
			w := newWorld(t)
			assert.NilError(t, os.Mkdir(w.home+"/models", 0o700)) // which one of them mounts
			w.user(block[1])
			_, _, err := w.load()
			assert.NilError(t, err, "%s", block[1])
		}
	}
}
