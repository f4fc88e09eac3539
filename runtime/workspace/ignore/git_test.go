package ignore_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"drydock/runtime/workspace/ignore"
	"drydock/runtime/workspace/internal/gittest"
)

// rounds is how many random sets of rules are tried; IGNORE_CASES asks for
// more.
func rounds(t *testing.T) int {
	t.Helper()
	if s := os.Getenv("IGNORE_CASES"); s != "" {
		n, err := strconv.Atoi(s)
		assert.NilError(t, err)
		return n
	}
	if testing.Short() {
		return 20
	}
	return 60
}

// TestRandomRulesAsGit asks git about every file and directory of a tree under
// random rules.
func TestRandomRulesAsGit(t *testing.T) {
	t.Parallel()
	for i := range rounds(t) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(i), 7))
			dir := t.TempDir()
			gittest.Init(t, dir)
			paths := randomPaths(t, r, dir)
			m := ignore.New()
			shown := randomRules(t, r, dir, paths, m)
			want := ignoredByGit(t, dir, paths)
			for p, isDir := range paths {
				assert.Equal(t, m.Ignored(p, isDir), want[p], "%q, directory %v, under\n%s", p, isDir, shown)
			}
		})
	}
}

func randomName(r *rand.Rand) string {
	alphabet := []string{"a", "a", "b", "b", "c", "A", ".", "-", "]", "[", "!", "#", "é", "*", `\`, " ", "^", "0", "\t"}
	var b strings.Builder
	for range 1 + r.IntN(4) {
		b.WriteString(alphabet[r.IntN(len(alphabet))])
	}
	if s := b.String(); s != "." && s != ".." {
		return s
	}
	return "dots"
}

// randomPaths makes files and tells for each path whether it is a directory.
func randomPaths(t *testing.T, r *rand.Rand, dir string) map[string]bool {
	t.Helper()
	paths := map[string]bool{}
	dirs := []string{""}
	for range 10 + r.IntN(30) {
		p := dirs[r.IntN(len(dirs))] + randomName(r)
		if _, ok := paths[p]; ok {
			continue
		}
		paths[p] = r.IntN(3) == 0
		if paths[p] {
			assert.NilError(t, os.Mkdir(filepath.Join(dir, p), 0o755))
			dirs = append(dirs, p+"/")
			continue
		}
		assert.NilError(t, os.WriteFile(filepath.Join(dir, p), nil, 0o600))
	}
	return paths
}

// randomRules writes rules to some directories and to info/exclude, and adds
// them to m.
func randomRules(t *testing.T, r *rand.Rand, dir string, paths map[string]bool, m *ignore.Matcher) string {
	t.Helper()
	var shown strings.Builder
	known := slices.Sorted(maps.Keys(paths))
	write := func(file string, add func([]byte) error) {
		text := randomFile(r, known)
		fmt.Fprintf(&shown, "%s: %q\n", file, text)
		assert.NilError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755))
		assert.NilError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
		assert.NilError(t, add([]byte(text)))
	}
	write(".gitignore", func(b []byte) error { return m.Add("", b) })
	write(".git/info/exclude", func(b []byte) error { return m.AddExclude("", b) })
	for _, p := range known {
		if paths[p] && r.IntN(3) == 0 {
			write(p+"/.gitignore", func(b []byte) error { return m.Add(p, b) })
		}
	}
	return shown.String()
}

func randomFile(r *rand.Rand, paths []string) string {
	var b strings.Builder
	if r.IntN(10) == 0 {
		b.WriteString("\xef\xbb\xbf")
	}
	for range r.IntN(6) {
		b.WriteString(randomRule(r, paths[r.IntN(len(paths))]))
		b.WriteString([]string{"\n", "\n", "\r\n", "\n\n", " \n", "\\ \n"}[r.IntN(6)])
	}
	return strings.TrimSuffix(b.String(), []string{"", "\n"}[r.IntN(2)])
}

// randomRule starts from a path and replaces parts of it by wildcards, so that
// it has a fair chance to match something.
func randomRule(r *rand.Rand, path string) string {
	parts := strings.Split(path, "/")
	parts = parts[r.IntN(len(parts)):]
	for i := range parts {
		if r.IntN(4) == 0 {
			parts[i] = []string{"**", "*", "***", "**a", "a**", "?"}[r.IntN(6)]
		}
	}
	rule := []byte(strings.Join(parts, "/"))
	for range r.IntN(3) {
		at := r.IntN(len(rule) + 1)
		wild := []string{
			"*", "?", "[ab]", "[!a]", "[^b]", "[a-c]", "[]a]", "[[:alpha:]]", "[[:punct:]0]", "[[:nope:]]", "[a", "[a-]",
			`\`, `\a`, "/", "**/", "/**", "**", "[/]", `[\]]`, "[[:]", "[[::]]", "[A-[]", "[c-a]", "[-a]", `[a-\c]`, "[!]]",
		}[r.IntN(27)]
		rule = append(rule[:at:at], append([]byte(wild), rule[min(len(rule), at+r.IntN(2)):]...)...)
	}
	return []string{"", "", "", "!", "!", "/", "!/", `\`}[r.IntN(8)] + string(rule) + []string{"", "", "", "/", "/**", "/*"}[r.IntN(6)]
}

func ignoredByGit(t *testing.T, dir string, paths map[string]bool) map[string]bool {
	t.Helper()
	var ask strings.Builder
	for p := range paths {
		ask.WriteString(p + "\x00")
	}
	// The exit code tells whether there was a match at all.
	out, stderr, _ := gittest.Try(dir, ask.String(), "check-ignore", "--no-index", "-z", "--stdin")
	assert.Equal(t, len(stderr), 0, "%s", stderr)
	ignored := map[string]bool{}
	for p := range strings.SplitSeq(string(out), "\x00") {
		ignored[p] = true
	}
	return ignored
}
