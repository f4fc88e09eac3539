package workspace_test

import (
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime/workspace"
)

func TestIsBuildOutput(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"__pycache__/a.cpython-311.pyc": true, "a/__pycache__": true, "a/b.pyc": true, "src/main.o": true, ".pytest_cache/v/x": true,
		"web/node_modules/left/index.js": true, ".venv/bin/python": true, "pkg.egg-info/PKG-INFO": true,
		"": false, "a.py": false, "pycache": false, "my__pycache__": false, "node_modules.md": false, ".o": false, ".pyc": false,
		"build/x": false, "target/x": false, "dist/x": false, "bin/x": false, "vendor/x": false, "a.so": false, "a.out": false, "/": false, "a//b": false,
	} {
		assert.Equal(t, workspace.IsBuildOutput(path), want, path)
	}
}
