package guest

import (
	"bytes"
	"time"

	"drydock/sandbox/wire"
)

// How much output waits to be drawn.
const (
	maxPending  = 64 << 10 // beyond this it is skipped, or the program waits
	keepPending = 16 << 10 // that is left of it then
	drawAtOnce  = 8 << 10
	// While output is skipped, drawing pauses for so long after each piece: what
	// would scroll away at once is not worth the time it takes from the program.
	floodPause = 200 * time.Millisecond
)

// pump reads what the program prints until nothing holds the terminal any more.
func (t *termSession) pump() {
	buf := make([]byte, 32<<10)
	for {
		n, err := t.master.Read(buf)
		if n > 0 {
			t.take(buf[:n])
		}
		if err != nil {
			break
		}
	}
	t.mu.Lock()
	t.closed = true
	t.room.Broadcast()
	t.mu.Unlock()
}

// take notes output and queues it to be drawn. What a program prints faster than
// a screen can follow is skipped, since the newest lines are what stays; but a
// full-screen program, whose every character counts, is made to wait.
func (t *termSession) take(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.writeLog(p)
	t.total += int64(len(p))
	t.last = time.Now()
	t.pending = append(t.pending, p...)
	for len(t.pending) > maxPending {
		if t.alternate() {
			t.room.Wait()
			continue
		}
		t.skip()
	}
	t.room.Broadcast()
	t.notify()
}

// alternate asks the screen, which may be drawing.
func (t *termSession) alternate() bool {
	t.mu.Unlock()
	defer t.mu.Lock()
	return t.screen.Alternate()
}

// skip leaves out all but the newest output, cut at a line where there is one. A
// sequence that was cut is cancelled, and a change of the screen is kept.
func (t *termSession) skip() {
	drop := len(t.pending) - keepPending
	if drop <= 0 {
		return
	}
	rest := t.pending[drop:]
	if i := bytes.IndexByte(rest[:keepPending/4], '\n'); i >= 0 {
		drop, rest = drop+i+1, rest[i+1:]
	}
	const cancel = "\x18\r"
	keep := append([]byte(cancel), lastSwitch(t.pending[:drop])...)
	t.skipped += int64(drop)
	t.skippedAt = time.Now()
	t.pending = append(keep, rest...)
}

// lastSwitch is the last sequence that gave the screen to a full-screen program
// or took it back.
func lastSwitch(p []byte) string {
	const on, off = "\x1b[?1049h", "\x1b[?1049l"
	switch i, j := bytes.LastIndex(p, []byte(on)), bytes.LastIndex(p, []byte(off)); {
	case i > j:
		return on
	case j > i:
		return off
	}
	return ""
}

func (t *termSession) writeLog(p []byte) {
	if t.log == nil || t.left <= 0 {
		return
	}
	n := min(int64(len(p)), t.left)
	if _, err := t.log.Write(p[:n]); err != nil {
		t.left = 0 // a full disk; the screen still holds
		return
	}
	t.left -= n
}

// draw puts output on the screen until there is none left.
func (t *termSession) draw() {
	defer close(t.drawn)
	for {
		piece := t.nextPiece()
		if piece == nil {
			return
		}
		t.screen.Write(piece)
		t.plain.Write(piece)
		t.mu.Lock()
		t.busy = false
		t.room.Broadcast()
		t.notify()
		t.mu.Unlock()
	}
}

func (t *termSession) nextPiece() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.pending) == 0 {
		if t.closed {
			return nil
		}
		t.room.Wait()
	}
	t.sitOut()
	n := min(len(t.pending), drawAtOnce)
	piece := append([]byte(nil), t.pending[:n]...)
	t.pending = append(t.pending[:0], t.pending[n:]...)
	t.busy = true
	return piece
}

// sitOut lets a flood pass.
func (t *termSession) sitOut() {
	if time.Since(t.skippedAt) > floodPause {
		return
	}
	t.mu.Unlock()
	time.Sleep(floodPause)
	t.mu.Lock()
	t.skip()
}

// tell describes the session, and says whether its end is news.
func (t *termSession) tell() (info wire.TerminalInfo, news bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	news = t.ended && !t.told1
	t.told1 = t.ended
	return t.info(), news
}

func (t *termSession) info() wire.TerminalInfo {
	info := wire.TerminalInfo{
		Session: t.name, Command: t.command, Rows: t.rows, Cols: t.cols,
		Running: !t.ended, ExitCode: t.code, Signal: t.signal,
	}
	if t.log != nil {
		info.Log = t.log.Name()
	}
	return info
}

// report says what the session shows and what has become of it since the last report.
func (t *termSession) report(history int) wire.TerminalAnswer {
	show := t.screen.Show()
	a := wire.TerminalAnswer{
		Lines: show.Lines, Row: show.Row, Col: show.Col, Alternate: show.Alternate, Resets: show.Resets, Above: show.HistorySize,
	}
	if history > 0 {
		a.History = t.screen.History(history)
	}
	a.Info, _ = t.tell()
	t.mu.Lock()
	defer t.mu.Unlock()
	a.Printed, a.Skipped = t.total-t.told[0], t.skipped-t.told[1]
	t.told = [2]int64{t.total, t.skipped}
	return a
}
