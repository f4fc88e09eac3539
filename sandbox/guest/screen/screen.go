// Package screen keeps what a terminal shows: it feeds a program's output to a
// maintained emulator and says what stands where. The output is hostile, so its
// cost is bounded here: in time, in memory, and in what a defect of the emulator
// can do.
package screen

import (
	"io"
	"strings"
	"sync"

	"github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// Screen is one terminal's screen. Its methods are safe for concurrent use.
type Screen struct {
	answer func([]byte)

	mu         sync.Mutex
	emu        *vt.Emulator
	rows, cols int
	history    history
	unsaved    int  // what the alternate screen may have kept of its own
	spare      int  // lines that the current piece may still scroll by command
	purging    bool // an erasure comes from here and not from the program
	appKeys    bool // the program wants the other form of cursor keys
	resets     int
}

// How much is drawn at a time. A piece is short enough that the lines it scrolls
// away fit the emulator's own store, from which they are taken at once.
const (
	pieceSize  = 128
	spareLines = 512     // scrolled by command within a piece
	purgeAfter = 4 << 10 // bytes and lines on the alternate screen
)

// New makes an empty screen. What the emulator answers to a program's questions
// goes to answer, from a goroutine of its own.
func New(rows, cols int, answer func([]byte)) *Screen {
	s := &Screen{rows: rows, cols: cols, answer: answer}
	s.start()
	return s
}

// start makes the emulator, a new one after a defect.
func (s *Screen) start() {
	s.emu = vt.NewEmulator(s.cols, s.rows)
	s.emu.SetScrollbackSize(pieceSize)
	s.appKeys, s.unsaved = false, 0
	s.emu.SetCallbacks(vt.Callbacks{
		EnableMode:  func(m ansi.Mode) { s.noteMode(m, true) },
		DisableMode: func(m ansi.Mode) { s.noteMode(m, false) },
	})
	s.guard()
	go relay(s.emu, s.answer)
}

func (s *Screen) noteMode(m ansi.Mode, on bool) {
	if m == ansi.ModeCursorKeys {
		s.appKeys = on
	}
}

// relay hands answers on. The emulator waits until they are taken, so they always are.
func relay(emu *vt.Emulator, answer func([]byte)) {
	buf := make([]byte, 256)
	for {
		n, err := emu.Read(buf)
		if err != nil {
			return
		}
		answer(buf[:n])
	}
}

// Close lets go of the emulator.
func (s *Screen) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release()
}

// release ends the relay. The emulator's own Close is not made to be called
// beside a Read.
func (s *Screen) release() {
	if pipe, ok := s.emu.InputPipe().(io.Closer); ok {
		_ = pipe.Close()
	}
}

// Write draws output.
func (s *Screen) Write(p []byte) {
	for len(p) > 0 {
		n := cut(p)
		s.draw(p[:n])
		p = p[n:]
	}
}

// cut ends a piece before a plain character where there is one, because
// characters that belong together must be drawn together.
func cut(p []byte) int {
	if len(p) <= pieceSize {
		return len(p)
	}
	for n := pieceSize; n > pieceSize/2; n-- {
		if p[n] < 0x80 {
			return n
		}
	}
	return pieceSize
}

func (s *Screen) draw(piece []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.recoverEmulator()
	s.spare = spareLines
	_, _ = s.emu.Write(piece)
	s.takeHistory()
	if s.emu.IsAltScreen() {
		s.unsaved += len(piece)
	}
	if s.unsaved >= purgeAfter {
		s.purge()
	}
}

// recoverEmulator replaces an emulator that failed: what it showed is lost, the
// session goes on.
func (s *Screen) recoverEmulator() {
	if recover() == nil {
		return
	}
	s.resets++
	s.purging = false
	s.release()
	s.start()
}

// takeHistory moves the lines that were scrolled away out of the emulator, which
// would keep each cell of them with its colours.
func (s *Screen) takeHistory() {
	back := s.emu.Scrollback()
	if back.Len() == 0 {
		return
	}
	for _, line := range back.Lines() {
		s.history.add(text(line))
	}
	back.Clear()
}

// purge empties what the alternate screen has kept of lines scrolled away, which
// can be reached only by the sequence that also erases what it shows.
func (s *Screen) purge() {
	s.unsaved = 0
	if !s.emu.IsAltScreen() {
		return
	}
	kept := make([]uv.Cell, 0, s.rows*s.cols)
	for y := range s.rows {
		for x := range s.cols {
			if c := s.emu.CellAt(x, y); c != nil {
				kept = append(kept, *c)
			} else {
				kept = append(kept, uv.EmptyCell)
			}
		}
	}
	s.purging = true
	_, _ = s.emu.WriteString(eraseWithStore)
	s.purging = false
	for i := range kept {
		if c := &kept[i]; !c.IsZero() && !c.Equal(&uv.EmptyCell) {
			s.emu.SetCell(i%s.cols, i/s.cols, c)
		}
	}
}

// Resize changes the size.
func (s *Screen) Resize(rows, cols int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.recoverEmulator()
	s.rows, s.cols = rows, cols
	s.emu.Resize(cols, rows)
}

// Shown is what a screen shows.
type Shown struct {
	Lines       []string // one per row, without trailing blanks
	Row, Col    int      // where the cursor is, counted from 0
	Alternate   bool     // a full-screen program has the screen
	Resets      int      // how often the screen was lost to a defect
	HistorySize int      // lines scrolled away that can still be had
}

// Show says what the screen shows now.
func (s *Screen) Show() Shown {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.emu.CursorPosition()
	out := Shown{Row: at.Y, Col: at.X, Alternate: s.emu.IsAltScreen(), Resets: s.resets, HistorySize: len(s.history.lines)}
	for y := range s.rows {
		line := make(uv.Line, 0, s.cols)
		for x := range s.cols {
			if c := s.emu.CellAt(x, y); c != nil {
				line = append(line, *c)
			}
		}
		out.Lines = append(out.Lines, text(line))
	}
	return out
}

// Alternate says whether a full-screen program has the screen.
func (s *Screen) Alternate() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emu.IsAltScreen()
}

// History is the last n lines that were scrolled away, the newest last.
func (s *Screen) History(n int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.history.last(n)
}

// text is a line's characters without its trailing blanks.
func text(line uv.Line) string {
	var b strings.Builder
	for _, c := range line {
		switch {
		case c.Content != "":
			b.WriteString(c.Content)
		case c.Width > 0:
			b.WriteByte(' ')
		}
	}
	return strings.TrimRight(b.String(), " ")
}
