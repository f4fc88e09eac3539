package ignore_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/runtime/workspace/ignore"
)

func TestRules(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rules, path  string
		isDir, wants bool
	}{
		{"*.pyc", "a/b/c.pyc", false, true},
		{"*.pyc\n!keep.pyc", "a/keep.pyc", false, false},
		{"build/", "build", false, false},
		{"build/", "build", true, true},
		{"build/", "sub/build/x", false, true},
		{"/build", "sub/build", false, false},
		{"build\n!build/keep", "build/keep", false, true},
		{"build/*\n!build/keep", "build/keep", false, false},
		{"docs/*.txt", "docs/a.txt", false, true},
		{"docs/*.txt", "docs/sub/a.txt", false, false},
		{"docs/**/*.txt", "docs/a.txt", false, true},
		{"docs/**/*.txt", "docs/x/y/a.txt", false, true},
		{"**/logs", "a/b/logs/x", false, true},
		{"a/**", "a", true, false},
		{"a/**", "a/b/c", false, true},
		{"x ", "x", false, true},
		{`x\ `, "x ", false, true},
		{"#x", "#x", false, false},
		{`\#x`, "#x", false, true},
		{`\!x`, "!x", false, true},
		{"\xef\xbb\xbfx", "x", false, true},
		{"x\r\n", "x", false, true},
		{"[[:digit:]]*", "7z", false, true},
		{"[a", "[a", false, false},
	} {
		m := ignore.New()
		assert.NilError(t, m.Add("", []byte(c.rules)))
		assert.Equal(t, m.Ignored(c.path, c.isDir), c.wants, "%q under %q", c.path, c.rules)
	}
}

func TestNestedFiles(t *testing.T) {
	t.Parallel()
	m := ignore.New()
	assert.NilError(t, m.AddExclude("", []byte("*.tmp\n*.log")))
	assert.NilError(t, m.Add("", []byte("*.log\n/only-here")))
	assert.NilError(t, m.Add("sub", []byte("!*.log\n!*.tmp\n/only-here")))
	for path, want := range map[string]bool{
		"a.log": true, "sub/a.log": false, "sub/deep/a.log": false, "other/a.log": true,
		"a.tmp": true, "sub/a.tmp": false, "only-here": true, "sub/only-here": true, "sub/x/only-here": false,
		"subway/a.log": true,
	} {
		assert.Equal(t, m.Ignored(path, false), want, path)
	}
}

// TestManyStars would not end in a lifetime if every star tried every place.
func TestManyStars(t *testing.T) {
	t.Parallel()
	m := ignore.New()
	assert.NilError(t, m.Add("", []byte(strings.Repeat("a*", 100)+"b\n"+strings.Repeat("**/a*/", 100)+"b")))
	path := strings.Repeat(strings.Repeat("a", 200)+"/", 15) + strings.Repeat("a", 200)
	start := time.Now()
	assert.Assert(t, !m.Ignored(path, false))
	assert.Assert(t, time.Since(start) < time.Minute)
}

func TestBounds(t *testing.T) {
	t.Parallel()
	m := ignore.New()
	assert.Assert(t, errors.Is(m.Add("", make([]byte, ignore.MaxFileLen+1)), ignore.ErrTooMany))
	assert.Assert(t, errors.Is(m.Add("", []byte(strings.Repeat("a\n", ignore.MaxRules+1))), ignore.ErrTooMany))
	assert.Assert(t, !m.Ignored("a", false))
}

func FuzzIgnored(f *testing.F) {
	f.Add("a*\n!b/\n[[:alpha:]-z]", "sub", "sub/a/b")
	f.Add("**/**\\", "", "\xff")
	f.Fuzz(func(t *testing.T, rules, dir, path string) {
		m := ignore.New()
		if m.Add(dir, []byte(rules)) == nil && path != "" {
			m.Ignored(path, true)
		}
	})
}
