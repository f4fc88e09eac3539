package main

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"gotest.tools/v3/assert"

	"drydock/internal/fakellm"
)

// steering are texts that act on a terminal, or make a person read another text
// than the one that is there.
var steering = map[string]string{
	"title":             "\x1b]0;owned\x07",
	"link":              "\x1b]8;;http://owned.example\x1b\\here\x1b]8;;\x1b\\",
	"clipboard":         "\x1b]52;c;b3duZWQ=\x07",
	"unfinished":        "\x1b]52;c;b3duZWQ=",
	"cursor up":         "\x1b[5A\x1b[2Kdrydock: done",
	"cursor home":       "\x1b[1;1H\x1b[2J",
	"other screen":      "\x1b[?1049h",
	"answer back":       "\x1b[6n\x1b[c\x1bP$qm\x1b\\",
	"reset":             "\x1bc",
	"colour":            "\x1b[8mhidden",
	"one-character CSI": "\u009b5A",
	"one-character OSC": "\u009d0;owned\u009c",
	"raw byte CSI":      "\x9b5A",
	"backspace":         "ab\b\b\bcd",
	"return":            "a line\rdrydock: done",
	"bell and the like": "\a\x00\x0e\x7f\v\f",
	"override":          "user\u202e\u2066 tsop",
	"direction marks":   "a\u200fb\u200ec\u061cd",
	"separators":        "a\u2028b\u2029c",
	"tags":              "a\U000e0041\U000e0042",
}

// assertTame says that a text can be shown on a terminal.
func assertTame(t *testing.T, where, text string) {
	t.Helper()
	for _, r := range text {
		wild := (unicode.IsControl(r) && r != '\n' && r != '\t') || unicode.Is(unicode.Bidi_Control, r) ||
			r == '\u2028' || r == '\u2029' || (r >= 0xe0000 && r <= 0xe007f)
		assert.Assert(t, !wild, "%U in %s: %q", r, where, text)
	}
}

func TestCleanTamesText(t *testing.T) {
	for name, text := range steering {
		for _, around := range []string{text, "before" + text + "after", text + text, "a\n" + text + "\nlast"} {
			got := clean(around)
			assertTame(t, name, got)
			assert.Assert(t, !strings.Contains(around, "before") || strings.HasPrefix(got, "before"), "%s: %q", name, got)
			assert.Assert(t, !strings.HasSuffix(around, "\nlast") || strings.HasSuffix(got, "\nlast"), "%s: %q", name, got)
			assert.Assert(t, !strings.Contains(singleLine(around), "\n"))
		}
	}
	const fine = "ordinary: é ñ 漢字 עברית عربى 👩‍💻 ├── ✓\n\tindented"
	assert.Equal(t, clean(fine), fine)
}

// all is every steering text, each on a line of its own.
func all() string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(steering)) {
		lines = append(lines, steering[name])
	}
	return strings.Join(lines, "\n")
}

// A run in which the model, the programs, the names of files and the server are
// all after the person's terminal.
func TestRunTamesWhatItShows(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"", "--json"} {
		t.Run("format"+format, func(t *testing.T) {
			t.Parallel()
			create := "import os\n" +
				"for text in " + encode(t, steeringNames()) + ":\n" +
				"    open(text, 'w').write(text)\n    os.mkfifo('fifo' + text)\n    print(text)\n" +
				"    os.write(2, text.encode())\n"
			server := fakellm.New(t,
				fakellm.Status(http.StatusInternalServerError, all()),
				fakellm.TextCalls(all(), fakellm.Call{Name: "python_execute", Arguments: encode(t, map[string]string{"code": create})}),
				call("bash", encode(t, map[string]string{"command": "printf '%s' '" + strings.NewReplacer("\x00", "", "'", "").Replace(all()) + "'; false"})),
				call("str_replace_editor", encode(t, map[string]string{"command": "view", "path": all()})),
				call("no"+all(), "{}"),
				call("terminate", encode(t, map[string]string{"status": "success", "answer": all()})),
			)
			dir := t.TempDir()
			assert.NilError(t, os.Mkdir(filepath.Join(dir, "repo"), 0o700))
			args := []string{"run", "--repo", "repo", "--run-dir", "run", "x"}
			if format != "" {
				args = append(args, format)
			}
			p := start(t, dir, toward(server), args...)
			assert.Equal(t, p.exit(), exitDone)
			assertTame(t, "stdout", p.stdout.String())
			assertTame(t, "stderr", p.stderr.String())
			assert.Assert(t, strings.Contains(p.stderr.String(), "patch: "))
			assert.Assert(t, p.stdout.Len() > 0)

			// The patch does not fit where a file is in its way, which git complains of.
			other := filepath.Join(dir, "other")
			for _, name := range steeringNames() {
				assert.NilError(t, os.MkdirAll(other, 0o700))
				assert.NilError(t, os.WriteFile(filepath.Join(other, name), []byte("in the way\n"), 0o600))
			}
			apply := start(t, dir, nil, "apply", "--to", "other", "./run")
			assert.Equal(t, apply.exit(), exitFailed)
			assertTame(t, "stderr of apply", apply.stderr.String())
			assert.Equal(t, strings.Count(apply.stderr.String(), "\n"), 1, apply.stderr.String())
		})
	}
}

// steeringNames are those of the texts that a file can be named, and Python
// source can hold.
func steeringNames() []string {
	var names []string
	for _, text := range steering {
		if utf8.ValidString(text) && !strings.ContainsAny(text, "/\x00") {
			names = append(names, "name\n"+text)
		}
	}
	return names
}

// What the engine, the server and a repository's configuration bring into an
// error is shown as tame.
func TestErrorsAreTame(t *testing.T) {
	t.Parallel()
	t.Run("engine", func(t *testing.T) {
		t.Parallel()
		refuse := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Api-Version", "1.41")
			if !strings.HasSuffix(r.URL.Path, "/_ping") {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusInternalServerError)
				_, _ = w.Write([]byte(encode(t, map[string]string{"message": "no: " + all() + ""})))
			}
		}))
		defer refuse.Close()
		p := start(t, t.TempDir(), []string{"DOCKER_HOST=tcp://" + refuse.Listener.Addr().String(), "OPENAI_API_KEY=" + testKey}, "run", "x")
		assertOneTameLine(t, p, exitEngine)
		assert.Assert(t, strings.Contains(p.stderr.String(), "no: "), p.stderr.String())
	})
	t.Run("server", func(t *testing.T) {
		t.Parallel()
		p := start(t, t.TempDir(), toward(fakellm.New(t, fakellm.Status(http.StatusBadRequest, all()))), "run", "--quiet", "x")
		assertOneTameLine(t, p, exitModel)
	})
	for _, place := range []string{"[sandbox]\nimage = %s\n", "[sandbox]\nlevel = %s\n", "[sandbox]\n%s = 1\n", "[%s]\n"} {
		t.Run("configuration "+place, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			assert.NilError(t, os.WriteFile(filepath.Join(dir, "drydock.toml"), fmt.Appendf(nil, place, tomlString(all())), 0o600))
			assertOneTameLine(t, start(t, dir, nil, "run", "x"), exitUsage)
		})
	}
}

func assertOneTameLine(t *testing.T, p *process, code int) {
	t.Helper()
	assert.Equal(t, p.exit(), code, p.stderr.String())
	assert.Equal(t, p.stdout.String(), "")
	assertTame(t, "stderr", p.stderr.String())
	assert.Equal(t, strings.Count(p.stderr.String(), "\n"), 1, "%q", p.stderr.String())
}

// tomlString writes a text as TOML, which has escapes for all of Unicode.
func tomlString(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			fmt.Fprintf(&b, `\U%08X`, r)
			continue
		}
		b.WriteRune(r)
	}
	return `"` + b.String() + `"`
}
