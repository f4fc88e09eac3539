package attach

import (
	"io"
	"unicode/utf8"
)

// Filter passes what a sandbox prints on to a person's terminal, without what
// would act on more than its screen: strings (clipboard, title, links, images,
// settings), questions the terminal would answer by typing, printing, keyboard
// locks, and changes of the character set. Colours, moving the cursor, erasing,
// the alternate screen and the mouse work.
type Filter struct {
	out   io.Writer
	state state
	seq   []byte // of the sequence being read, from its ESC on
	text  []byte // of a character being read
	pass  []byte // of the current write
	modes map[string]bool
	edges bool // scrolling margins were set
}

// NewFilter makes a filter before a terminal.
func NewFilter(out io.Writer) *Filter { return &Filter{out: out, modes: map[string]bool{}} }

type state int

const (
	ground state = iota
	escape
	control   // after ESC [
	ignored   // the same, but too long to be any good
	str       // in a string, which is dropped
	strEscape // and an ESC in it, which may be its end
)

const (
	esc       = 0x1b
	maxLength = 256 // bytes of a sequence
	maxModes  = 64
)

// Write passes on what may.
func (f *Filter) Write(p []byte) (int, error) {
	f.pass = f.pass[:0]
	for _, b := range p {
		f.step(b)
	}
	if len(f.pass) > 0 {
		if _, err := f.out.Write(f.pass); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

func (f *Filter) step(b byte) {
	if f.state != ground && (b == 0x18 || b == 0x1a) { // they cancel a sequence
		f.state = ground
		return
	}
	switch f.state {
	case ground:
		f.plain(b)
	case escape:
		f.afterEscape(b)
	case control, ignored:
		f.inControl(b)
	case str:
		switch b {
		case esc:
			f.state = strEscape
		case 0x07:
			f.state = ground
		}
	case strEscape:
		if f.state = ground; b != '\\' {
			f.begin()
			f.afterEscape(b)
		}
	}
}

func (f *Filter) begin() {
	f.state, f.seq = escape, append(f.seq[:0], esc)
}

// plain takes text, which is UTF-8: other bytes, and the characters that some
// terminals take for the beginning of sequences, are not passed on.
func (f *Filter) plain(b byte) {
	if b < 0x80 {
		f.flushText()
		switch {
		case b == esc:
			f.begin()
		case b >= ' ' && b < 0x7f, b >= 0x07 && b <= 0x0f:
			f.pass = append(f.pass, b)
		}
		return
	}
	if utf8.RuneStart(b) {
		f.flushText()
	}
	f.text = append(f.text, b)
	if utf8.FullRune(f.text) {
		f.flushText()
	}
}

func (f *Filter) flushText() {
	for len(f.text) > 0 {
		r, n := utf8.DecodeRune(f.text)
		f.text = f.text[n:]
		if r >= 0xa0 {
			f.pass = utf8.AppendRune(f.pass, r)
		}
	}
	f.text = f.text[:0:0]
}

func (f *Filter) afterEscape(b byte) {
	f.seq = append(f.seq, b)
	switch {
	case b == esc:
		f.begin()
	case len(f.seq) == 2 && b == '[':
		f.state = control
	case len(f.seq) == 2 && (b == ']' || b == 'P' || b == '_' || b == '^' || b == 'X' || b == 'k'):
		f.state = str
	case b >= 0x20 && b <= 0x2f && len(f.seq) < 4: // more comes
	default:
		f.state = ground
		if harmlessEscape(f.seq[1:]) {
			f.pass = append(f.pass, f.seq...)
		}
	}
}

func (f *Filter) inControl(b byte) {
	switch {
	case b == esc:
		f.begin()
	case b < 0x20: // a terminal obeys it in the middle of the sequence
		if b >= 0x07 && b <= 0x0d {
			f.pass = append(f.pass, b)
		}
	case b < 0x40:
		if f.seq = append(f.seq, b); len(f.seq) > maxLength {
			f.state, f.seq = ignored, f.seq[:0]
		}
	default:
		if f.state == control && harmlessControl(f.seq[2:], b) {
			f.pass = append(append(f.pass, f.seq...), b)
			f.note(string(f.seq[2:]), b)
		}
		f.state = ground
	}
}

// note remembers what has to be taken back at the end.
func (f *Filter) note(params string, final byte) {
	switch {
	case final == 'r':
		f.edges = true
	case final == 'h' && len(params) > 1 && params[0] == '?' && len(f.modes) < maxModes:
		f.modes[params] = true
	case final == 'l':
		delete(f.modes, params)
	}
}

// Restore gives what brings the terminal back from what the output has set.
func (f *Filter) Restore() string {
	out := "\x1b\\\x1b[0m\x1b(B\x0f\x1b[?25h"
	if f.edges {
		out += "\x1b7\x1b[r\x1b8"
	}
	for params := range f.modes {
		if params != "?7" && params != "?25" { // these are usually on
			out += "\x1b[" + params + "l"
		}
	}
	return out + "\x1b[?7h\x1b>"
}
