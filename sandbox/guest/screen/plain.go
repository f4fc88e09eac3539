package screen

import (
	"sync"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// maxPlain bounds the text that a Plain keeps, in bytes.
const maxPlain = 64 << 10

// Plain is the newest output as text: what was printed, in order, without what
// only steers a terminal. Unlike a screen it does not forget what was overwritten.
// Its methods are safe for concurrent use.
type Plain struct {
	mu     sync.Mutex
	parser *ansi.Parser
	buf    []byte
	before int64 // bytes that are no longer in buf
}

// NewPlain makes an empty one.
func NewPlain() *Plain {
	p := &Plain{parser: ansi.NewParser()}
	p.parser.SetDataSize(1) // strings steer, so none is kept
	p.parser.SetHandler(ansi.Handler{
		Print: func(r rune) { p.buf = utf8.AppendRune(p.buf, r) },
		Execute: func(b byte) {
			if b == '\n' || b == '\t' {
				p.buf = append(p.buf, b)
			}
		},
	})
	return p
}

// Write takes output.
func (p *Plain) Write(output []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, b := range output {
		p.parser.Advance(b)
	}
	if over := len(p.buf) - maxPlain; over > maxPlain/4 {
		p.buf = append(p.buf[:0], p.buf[over:]...)
		p.before += int64(over)
	}
}

// Since is the text from a position on, as far as it is kept, and where it begins.
func (p *Plain) Since(pos int64) (text string, from int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	from = min(max(pos, p.before), p.before+int64(len(p.buf)))
	return string(p.buf[from-p.before:]), from
}

// End is the position after the last character.
func (p *Plain) End() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.before + int64(len(p.buf))
}
