package main

import (
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

func TestSourceStanzasFollowTheHostsMirrors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ file, list, want string }{
		"deb822": {
			"debian.sources",
			"# comment\nTypes: deb\nURIs: http://mirror.example/debian\nSuites: trixie trixie-updates\n" +
				"Components: main contrib\nSigned-By: /keys/a.gpg\n",
			"Types: deb-src\nURIs: http://mirror.example/debian\nSuites: bookworm bookworm-updates\n" +
				"Components: main\nSigned-By: /keys/a.gpg\n\n",
		},
		"key within": {
			"debian.sources",
			"Types: deb deb-src\nURIs: http://m.example/d\nSuites: trixie\nComponents: main\nSigned-By:\n -----BEGIN\n .\n abc\n",
			"Types: deb-src\nURIs: http://m.example/d\nSuites: bookworm\nComponents: main\nSigned-By: \n -----BEGIN\n .\n abc\n\n",
		},
		"one line": {
			"sources.list",
			"deb [arch=amd64 signed-by=/keys/a.gpg] http://m.example/s trixie-security main # why\n#deb http://off.example trixie main\n",
			"Types: deb-src\nURIs: http://m.example/s\nSuites: bookworm-security\nComponents: main\nSigned-By: /keys/a.gpg\n\n",
		},
		"without options":   {"a.list", "deb http://m.example/d trixie main\n", "Types: deb-src\nURIs: http://m.example/d\nSuites: bookworm\nComponents: main\n\n"},
		"switched off":      {"a.sources", "Enabled: no\nTypes: deb\nURIs: http://m.example\nSuites: trixie\nComponents: main\n", ""},
		"sources only":      {"a.list", "deb-src http://m.example trixie main\n", ""},
		"of somebody else":  {"a.list", "deb http://tools.example tools-trixie main\ndeb http://tools.example trixie-tools main\n", ""},
		"flat repository":   {"a.list", "deb http://m.example ./\n", ""},
		"not of the main":   {"a.list", "deb http://m.example trixie contrib\n", ""},
		"no package mirror": {"a.sources", "\n\n# nothing\n", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := sourceStanzas(parseSources(tc.file, tc.list), "trixie", "bookworm")
			assert.Equal(t, got, tc.want)
		})
	}
}

func TestHostSourceStanzas(t *testing.T) {
	t.Parallel()
	etc := t.TempDir()
	_, err := hostSourceStanzas(etc, "bookworm")
	assert.ErrorContains(t, err, "host's release")

	write(t, filepath.Join(etc, "os-release"), "ID=other\nVERSION_CODENAME=x\n")
	_, err = hostSourceStanzas(etc, "bookworm")
	assert.ErrorContains(t, err, "need a Debian host")

	write(t, filepath.Join(etc, "os-release"), "NAME=\"D\"\nID=debian\nVERSION_CODENAME=\"trixie\"\n")
	_, err = hostSourceStanzas(etc, "bookworm")
	assert.ErrorContains(t, err, "no package mirror for trixie")

	write(t, filepath.Join(etc, "apt", "sources.list"), "deb http://one.example trixie main\n")
	write(t, filepath.Join(etc, "apt", "sources.list.d", "b.sources"),
		"Types: deb\nURIs: http://two.example\nSuites: trixie-security\nComponents: main\n")
	got, err := hostSourceStanzas(etc, "bookworm")
	assert.NilError(t, err)
	assert.Assert(t, strings.Contains(got, "URIs: http://one.example\nSuites: bookworm\n"))
	assert.Assert(t, strings.Contains(got, "URIs: http://two.example\nSuites: bookworm-security\n"))
}
