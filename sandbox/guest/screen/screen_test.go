package screen_test

import (
	"fmt"
	"math/rand"
	"runtime"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox/guest/screen"
)

func open(t *testing.T, rows, cols int, output ...string) *screen.Screen {
	t.Helper()
	s := screen.New(rows, cols, func([]byte) {})
	t.Cleanup(s.Close)
	for _, o := range output {
		s.Write([]byte(o))
	}
	return s
}

// shown is the screen as text without the empty rows at its end.
func shown(s *screen.Screen) string {
	return strings.TrimRight(strings.Join(s.Show().Lines, "\n"), "\n")
}

func TestOutputIsDrawn(t *testing.T) {
	for _, c := range []struct{ name, output, want string }{
		{"lines", "one\r\ntwo\r\n", "one\ntwo"},
		{"overwriting", "abcdef\rxyz", "xyzdef"},
		{"placing", "\x1b[3;5Hhere", "\n\n    here"},
		{"erasing", "abc\r\ndef\x1b[2J\x1b[Hx", "x"},
		{"colours", "\x1b[31;1mred\x1b[0m plain", "red plain"},
		{"wide", "日本 ok", "日本 ok"},
		{"combining", "e\u0301a", "e\u0301a"},
		{"joined", "👩‍💻!", "👩‍💻!"},
		{"boxes", "\x1b(0lqk\x1b(B", "┌─┐"},
		{"wrapping", strings.Repeat("x", 25), strings.Repeat("x", 20) + "\nxxxxx"},
		{"title", "\x1b]0;pwned\x07text\x1b]2;x\x1b\\", "text"},
		{"clipboard", "\x1b]52;c;aGk=\x07text", "text"},
		{"unknown strings", "\x1bP$qm\x1b\\a\x1b_x\x1b\\b\x1b^y\x1b\\c", "abc"},
		{"invalid", "a\xffb\xc3(c", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := shown(open(t, 6, 20, c.output))
			if c.want != "" {
				assert.Equal(t, got, c.want)
			}
		})
	}
}

func TestCursorAndAlternateScreen(t *testing.T) {
	s := open(t, 5, 20, "main\r\n", "\x1b[?1049h\x1b[2;3Hfull")
	at := s.Show()
	assert.Assert(t, at.Alternate)
	assert.DeepEqual(t, []int{at.Row, at.Col}, []int{1, 6})
	assert.Equal(t, shown(s), "\n  full")
	s.Write([]byte("\x1b[?1049l"))
	assert.Assert(t, !s.Show().Alternate)
	assert.Equal(t, shown(s), "main")
}

func TestLinesScrolledAwayAreKept(t *testing.T) {
	s := open(t, 5, 20)
	for i := range 3000 {
		s.Write(fmt.Appendf(nil, "line %d\r\n", i))
	}
	last := s.History(3)
	assert.DeepEqual(t, last, []string{"line 2993", "line 2994", "line 2995"})
	assert.Equal(t, len(s.History(1<<30)), screen.MaxHistory)
	s.Write([]byte("\x1b[3J"))
	assert.Equal(t, len(s.History(1)), 0)
	assert.Assert(t, strings.Contains(shown(s), "line 2999"))
}

// A full-screen program that scrolls for hours must not fill the memory, and what
// it shows must stay.
func TestAlternateScreenStaysBounded(t *testing.T) {
	s := open(t, 40, 100, "\x1b[?1049h")
	line := []byte(strings.Repeat("x", 95) + "\r\n")
	for range 3000 {
		s.Write(line)
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	assert.Assert(t, m.HeapAlloc < 20<<20, "%d MiB", m.HeapAlloc>>20)
	assert.Equal(t, strings.Count(shown(s), "x"), 39*95)
	assert.Equal(t, s.Show().Resets, 0)
}

// Sequences that are known to end or to hold up emulators.
func TestHostileSequencesAreBounded(t *testing.T) {
	for _, seq := range []string{
		"a\x1b[888888889b", "\x1b[888888889X", "\x1b[888888889I", "\x1b[888888889Z", "\x1b[888888889@", "\x1b[888888889P",
		"\x1b[888888889L", "\x1b[888888889M", "\x1b[888888889S", "\x1b[888888889T", "\x1b[99999999999999999999999999A",
		"\x1b[?69h\x1b[2;400s\x1b[S", "\x1b[1;900r\x1b[S", "\x1b[1;900r\x1b[T", "\x1b[1;29r\x1b[H\x1bM", "\x1b[?69h\x1b[1;500s\x1b[L",
		"\x1b[?6h\x1b[5;3r\x1b[999;999H", "\x1b[8;1000000;1000000t", "\x1b]0;" + strings.Repeat("x;", 1<<20), "\x1bP" + strings.Repeat("q", 1<<20),
		"e" + strings.Repeat("\u0301", 1<<18), strings.Repeat("\x1b[200S\x1b[41m", 1<<8), "\x1b[?1049h" + strings.Repeat("\x1b[41m\x1b[200S", 1<<8),
		strings.Repeat("\x1b[1;2;3;4;5;6;7;8;9", 1<<8), "\x1b[" + strings.Repeat("1;", 1<<16) + "m", strings.Repeat("\x1b7\x1b[?1049h\x1b8\x1b[?1049l", 1<<8),
	} {
		name := fmt.Sprintf("%.24q", seq)
		t.Run(name, func(t *testing.T) {
			s := open(t, 24, 80)
			began := time.Now()
			s.Write([]byte(seq))
			s.Resize(3, 2)
			s.Write([]byte(seq))
			s.Resize(24, 80)
			s.Write([]byte("\x18\x1b\\\x1bc\x1b[2J\x1b[Halive"))
			assert.Assert(t, time.Since(began) < 20*time.Second)
			assert.Assert(t, strings.Contains(shown(s), "alive"), "%q", shown(s))
		})
	}
}

func TestRandomOutputNeverEndsTheScreen(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	words := []string{"\x1b[", "\x1b]", "\x1bP", "\x1b", "?", ";", "69", "1049", "h", "l", "r", "s", "S", "T", "L", "M", "b", "J", "K", "H", "m", "日", "\u0301", "x", "\n", "\r", "9999", "\x9b", "\x07", "\x1b\\"}
	s := open(t, 24, 80)
	for range 20000 {
		s.Write([]byte(words[rng.Intn(len(words))]))
		if rng.Intn(200) == 0 {
			s.Resize(1+rng.Intn(60), 1+rng.Intn(120))
		}
	}
	s.Resize(24, 80)
	s.Write([]byte("\x18\x1b\\\x1bc\x1b[Halive"))
	assert.Assert(t, strings.Contains(shown(s), "alive"), "%q", shown(s))
}

func TestQuestionsAreAnswered(t *testing.T) {
	answers := make(chan string, 8)
	s := screen.New(24, 80, func(p []byte) { answers <- string(p) })
	t.Cleanup(s.Close)
	s.Write([]byte("ab\x1b[6n"))
	assert.Equal(t, <-answers, "\x1b[1;3R")
	// Nothing is said about colours, the clipboard or settings.
	s.Write([]byte("\x1b]11;?\x07\x1b]52;c;?\x07\x1bP$qm\x1b\\\x1b]4;1;?\x07\x1b[21t\x1b[6n"))
	assert.Equal(t, <-answers, "\x1b[1;3R")
}

func TestKeys(t *testing.T) {
	s := open(t, 24, 80)
	for name, want := range map[string]string{
		"Enter": "\r", "enter": "\r", "Tab": "\t", "Esc": "\x1b", "C-c": "\x03", "C-d": "\x04", "Ctrl-C": "\x03", "^C": "\x03", "C-[": "\x1b",
		"C-space": "\x00", "C-@": "\x00", "Up": "\x1b[A", "Left": "\x1b[D", "Home": "\x1b[H", "F5": "\x1b[15~", "M-x": "\x1bx", "Alt-Enter": "\x1b\r",
		"Backspace": "\x7f", "PageDown": "\x1b[6~", "S-Tab": "\x1b[Z", "q": "q", "é": "é", "M-X": "\x1bX",
	} {
		got, err := s.Key(name)
		assert.NilError(t, err)
		assert.Equal(t, got, want, name)
	}
	for _, name := range []string{"", "Entr", "C-", "C-ab", "M-", "F13", "\n", "ctrl c"} {
		_, err := s.Key(name)
		assert.ErrorContains(t, err, "keys are Enter")
	}
	s.Write([]byte("\x1b[?1h"))
	got, err := s.Key("Up")
	assert.NilError(t, err)
	assert.Equal(t, got, "\x1bOA")
}
