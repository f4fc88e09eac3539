package tools

import (
	"fmt"
	"strings"
	"time"

	"drydock/sandbox/wire"
)

// Screen is what came of using a terminal.
type Screen struct {
	wire.TerminalAnswer
	Wanted string        // the text that was waited for
	Limit  time.Duration // how long at most
	Stop   bool          // the session was to be stopped
}

// screenText is what the terminal shows, without empty rows at its end, after the
// lines above it that were asked for.
func screenText(s *Screen) string {
	lines := append(append([]string(nil), s.History...), s.Lines...)
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return Clean([]byte(strings.Join(lines, "\n")))
}

// screenNotes says what the screen does not.
func screenNotes(s *Screen) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	at := fmt.Sprintf("%s: %d rows, %d columns, cursor at row %d, column %d", s.Info.Session, s.Info.Rows, s.Info.Cols, s.Row+1, s.Col+1)
	if above := s.Above - len(s.History); above > 0 {
		at += fmt.Sprintf(", %d more lines above", above)
	}
	add("%s", at)
	switch {
	case s.Stop:
		add("%s was stopped", s.Info.Session)
	case !s.Info.Running:
		add("%s", endOf(s.Info))
	case s.Reason == wire.TerminalTimeout && s.Wanted != "":
		add("not seen within %s: %s; the program goes on", seconds(s.Limit), oneLine(s.Wanted, 80))
	case s.Reason == wire.TerminalTimeout:
		add("still printing after %s", seconds(s.Limit))
	}
	if s.Taken < s.Offered {
		add("only %d of %d bytes of input were taken: the program does not read", s.Taken, s.Offered)
	}
	if s.Skipped > 0 {
		add("%d bytes came too fast to be drawn%s", s.Skipped, inLog(s.Info.Log))
	}
	if s.Resets > 0 {
		add("the screen was emptied: the program sent a sequence that cannot be drawn")
	}
	for _, other := range s.Ended {
		add("%s", endOf(other))
	}
	return out
}

func inLog(log string) string {
	if log == "" {
		return ""
	}
	return "; the raw output is in " + oneLine(log, 200)
}

// endOf says how a session's program ended.
func endOf(i wire.TerminalInfo) string {
	name := fmt.Sprintf("%s (%s)", oneLine(i.Session, 20), oneLine(i.Command, 60))
	if i.Signal != "" {
		return fmt.Sprintf("%s was ended by %s, exit code %d", name, oneLine(i.Signal, 20), i.ExitCode)
	}
	return fmt.Sprintf("%s ended with exit code %d", name, i.ExitCode)
}

// DescribeSessions lists sessions, one on a line.
func DescribeSessions(list []wire.TerminalInfo) string {
	if len(list) == 0 {
		return "There are no sessions."
	}
	var lines []string
	for _, i := range list {
		line := endOf(i)
		if i.Running {
			line = fmt.Sprintf("%s (%s) is running, %d rows, %d columns", oneLine(i.Session, 20), oneLine(i.Command, 60), i.Rows, i.Cols)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// oneLine shows text from the sandbox inside a note.
func oneLine(text string, most int) string {
	text = strings.Join(strings.Fields(Clean([]byte(text))), " ")
	if len(text) > most {
		return firstBytes(text, most) + "…"
	}
	return text
}
