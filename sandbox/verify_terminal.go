package sandbox

import "drydock/sandbox/wire"

// Bounds of what a screen holds, in bytes: a cell can take more than one
// character, though hardly many.
const (
	maxCell       = 32
	maxScreenLine = wire.MaxTerminalCols * maxCell
	maxScreenText = 16 << 20 // of the screen and the lines above it
)

var waitReasons = map[string]bool{
	"": true, wire.TerminalSeen: true, wire.TerminalQuiet: true, wire.TerminalEnded: true, wire.TerminalTimeout: true,
}

func verifyTerminal(a wire.TerminalAnswer) error {
	c := claim{about: "a screen"}
	c.holds(waitReasons[a.Reason], "with reason %.20q", a.Reason)
	c.holds(len(a.Lines) <= wire.MaxTerminalRows && len(a.History) <= wire.MaxTerminalHistory, "of %d and %d lines", len(a.Lines), len(a.History))
	for _, line := range append(a.Lines[:len(a.Lines):len(a.Lines)], a.History...) {
		c.holds(len(line) <= maxScreenLine, "with a line of %d bytes", len(line))
	}
	c.holds(a.Row >= 0 && a.Row <= wire.MaxTerminalRows && a.Col >= 0 && a.Col <= wire.MaxTerminalCols, "with its cursor at %d, %d", a.Row, a.Col)
	for name, n := range map[string]int64{
		"lines above": int64(a.Above), "printed": a.Printed, "skipped": a.Skipped, "resets": int64(a.Resets), "input": int64(a.Taken), "offered input": int64(a.Offered),
	} {
		c.counter(name, n)
	}
	c.holds(len(a.Sessions) <= wire.MaxTerminals && len(a.Ended) <= maxTerminalsTold, "of %d and %d sessions", len(a.Sessions), len(a.Ended))
	for _, info := range append([]wire.TerminalInfo{a.Info}, append(a.Sessions[:len(a.Sessions):len(a.Sessions)], a.Ended...)...) {
		c.session(info)
	}
	return c.err
}

// maxTerminalsTold is how many sessions can have ended since the last answer.
const maxTerminalsTold = 1000

func (c *claim) session(i wire.TerminalInfo) {
	c.holds(len(i.Session) <= wire.MaxMessage && len(i.Command) <= wire.MaxTerminalText && len(i.Signal) <= wire.MaxMessage, "of a session called %.30q", i.Session)
	c.holds(i.ExitCode >= 0 && i.ExitCode <= maxExitCode, "of a session with exit code %d", i.ExitCode)
	if i.Log != "" {
		c.location("log", i.Log)
	}
}
