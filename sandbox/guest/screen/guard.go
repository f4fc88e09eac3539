package screen

import (
	"github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/parser"
)

// eraseWithStore erases the screen in use and the lines it has kept.
const eraseWithStore = "\x1b[3J"

// maxMode is above every mode there is. The emulator remembers each number that
// a program names.
const maxMode = 9999

// guard puts handlers before the emulator's own: numbers from the output are
// brought within the screen, because the emulator counts and indexes with them,
// and what is of no use here is taken in without being kept.
func (s *Screen) guard() {
	for _, cmd := range []int{'@', 'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'P', 'T', 'L', 'X', 'Z', '`', 'a', 'b', 'd', 'e', 'f'} {
		s.emu.RegisterCsiHandler(cmd, func(p ansi.Params) bool {
			limit(p, max(s.rows, s.cols))
			return false
		})
	}
	for _, cmd := range []int{'S', 'M'} {
		s.emu.RegisterCsiHandler(cmd, s.scrolls)
	}
	s.emu.RegisterCsiHandler('r', func(p ansi.Params) bool {
		limit(p, s.rows)
		return false
	})
	s.emu.RegisterCsiHandler('s', func(p ansi.Params) bool {
		limit(p, s.cols)
		return false
	})
	s.emu.RegisterCsiHandler('J', s.erase)
	for _, cmd := range []int{'h', 'l', ansi.Command('?', 0, 'h'), ansi.Command('?', 0, 'l'), ansi.Command(0, '$', 'p'), ansi.Command('?', '$', 'p')} {
		s.emu.RegisterCsiHandler(cmd, func(p ansi.Params) bool {
			limit(p, maxMode)
			return false
		})
	}
	// Titles, directories, links, colours and questions about them.
	for _, cmd := range []int{0, 1, 2, 7, 8, 10, 11, 12, 110, 111, 112} {
		s.emu.RegisterOscHandler(cmd, func([]byte) bool { return true })
	}
}

// limit brings every parameter within a bound.
func limit(p ansi.Params, most int) {
	for i := range p {
		if p[i].Param(0) > most {
			more := p[i].HasMore()
			p[i] = packed(most, more)
		}
	}
}

// scrolls lets lines be scrolled away by command, up to a bound for each piece
// of output: a few bytes can ask for a screenful.
func (s *Screen) scrolls(p ansi.Params) bool {
	limit(p, s.rows)
	n, _, _ := p.Param(0, 1)
	if n > s.spare {
		return true
	}
	s.spare -= n
	s.unsaved += n
	return false
}

// erase handles the forms of erasing the screen that the emulator takes for more
// than that: it keeps what an erased screen showed, and it erases the screen when
// only the kept lines are to go.
func (s *Screen) erase(p ansi.Params) bool {
	if s.purging {
		return false
	}
	switch how, _, _ := p.Param(0, 0); how {
	case 2:
		for y := range s.rows {
			for x := range s.cols {
				s.emu.SetCell(x, y, &uv.EmptyCell)
			}
		}
		return true
	case 3:
		s.history = history{}
		return true
	}
	return false
}

// packed is a parameter in the parser's form, in which a bit says that a
// sub-parameter follows.
func packed(value int, more bool) ansi.Param {
	if more {
		value |= parser.HasMoreFlag
	}
	return ansi.Param(value)
}
