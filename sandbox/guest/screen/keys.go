package screen

import (
	"fmt"
	"strings"
)

// named are keys by their names in lower case.
var named = map[string]string{
	"enter": "\r", "return": "\r", "tab": "\t", "s-tab": "\x1b[Z", "esc": "\x1b", "escape": "\x1b",
	"space": " ", "backspace": "\x7f", "bspace": "\x7f", "delete": "\x1b[3~", "insert": "\x1b[2~",
	"pageup": "\x1b[5~", "pgup": "\x1b[5~", "pagedown": "\x1b[6~", "pgdn": "\x1b[6~", "pgdown": "\x1b[6~",
	"f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "f5": "\x1b[15~", "f6": "\x1b[17~",
	"f7": "\x1b[18~", "f8": "\x1b[19~", "f9": "\x1b[20~", "f10": "\x1b[21~", "f11": "\x1b[23~", "f12": "\x1b[24~",
	"c-space": "\x00",
}

// cursor are the keys whose form a program can choose.
var cursor = map[string]byte{"up": 'A', "down": 'B', "right": 'C', "left": 'D', "home": 'H', "end": 'F'}

// KeyForms says how keys are written.
const KeyForms = "Enter, Tab, S-Tab, Esc, Space, Backspace, Delete, Insert, Up, Down, Left, Right, Home, End, PageUp, PageDown, F1 to F12, C-a to C-z (with Ctrl), C-[ C-\\ C-] C-^ C-_, M-x (with Alt), or one character"

// Key gives the bytes that a key sends in the mode the terminal is in.
func (s *Screen) Key(name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if seq := keySequence(name, s.appKeys); seq != "" {
		return seq, nil
	}
	return "", fmt.Errorf("there is no key %q; keys are %s", name, KeyForms)
}

func keySequence(name string, app bool) string {
	lower := strings.ToLower(name)
	if seq, ok := named[lower]; ok {
		return seq
	}
	if final, ok := cursor[lower]; ok {
		if app {
			return "\x1bO" + string(final)
		}
		return "\x1b[" + string(final)
	}
	for _, prefix := range []string{"c-", "ctrl-", "ctrl+", "^"} {
		if key, ok := strings.CutPrefix(lower, prefix); ok && len(key) == 1 {
			return control(key[0])
		}
	}
	for _, prefix := range []string{"m-", "a-", "alt-", "alt+"} {
		if strings.HasPrefix(lower, prefix) && len(name) > len(prefix) {
			if seq := keySequence(name[len(prefix):], app); seq != "" {
				return "\x1b" + seq
			}
		}
	}
	if r := []rune(name); len(r) == 1 && r[0] > ' ' {
		return name
	}
	return ""
}

// control is a key together with Ctrl.
func control(key byte) string {
	switch {
	case key >= 'a' && key <= 'z':
		return string(rune(key - 'a' + 1))
	case key >= '[' && key <= '_':
		return string(rune(key - '@'))
	case key == '@':
		return "\x00"
	case key == '?':
		return "\x7f"
	}
	return ""
}
