package wire

// Routes of the terminals. Each takes a TerminalRequest and gives a
// TerminalAnswer, but the last, which upgrades to a stream of frames (Frame).
const (
	PathTerminal       = "/v1/terminal/"
	PathTerminalStart  = PathTerminal + "start"
	PathTerminalSend   = PathTerminal + "send"
	PathTerminalWait   = PathTerminal + "wait"
	PathTerminalRead   = PathTerminal + "read"
	PathTerminalResize = PathTerminal + "resize"
	PathTerminalStop   = PathTerminal + "stop"
	PathTerminalList   = PathTerminal + "list"
	PathTerminalAttach = PathTerminal + "attach"
)

// Bounds of terminals.
const (
	// MaxTerminals is how many sessions there may be at a time.
	MaxTerminals = 8
	// MaxTerminalRows and MaxTerminalCols bound a screen.
	MaxTerminalRows = 200
	MaxTerminalCols = 300
	// MaxTerminalText bounds what is typed at once, in bytes.
	MaxTerminalText = 64 << 10
	// MaxTerminalKeys bounds how many keys are pressed at once.
	MaxTerminalKeys = 500
	// MaxTerminalHistory bounds the lines above the screen that are read, and kept.
	MaxTerminalHistory = 1000
	// MaxTerminalPattern bounds a text to wait for, in bytes.
	MaxTerminalPattern = 4 << 10
)

// TerminalRequest is a request to the terminals; each route uses some of it.
type TerminalRequest struct {
	Session string `json:"session"` // which one; empty where there is only one

	Command string            `json:"command"` // for start; empty for the image's shell
	Dir     string            `json:"dir"`     // for start; empty for the workspace
	Env     map[string]string `json:"env"`     // for start, added to the usual one
	Rows    int               `json:"rows"`    // for start (0 for 24) and resize
	Cols    int               `json:"cols"`    // for start (0 for 80) and resize

	Text string   `json:"text"` // for send: typed as it is
	Keys []string `json:"keys"` // for send: pressed after the text

	Until   TerminalUntil `json:"until"`   // for start, send and wait
	History int           `json:"history"` // lines above the screen to report
}

// TerminalUntil says when to come back: at the first of what is given.
type TerminalUntil struct {
	Text    string   `json:"text"`    // printed since the last input
	Pattern string   `json:"pattern"` // the same as an RE2 expression
	Quiet   Duration `json:"quiet"`   // nothing printed for so long; 0 for never
	Timeout Duration `json:"timeout"` // in any case
}

// Why a request that waits came back.
const (
	TerminalSeen    = "seen"    // the text was printed
	TerminalQuiet   = "quiet"   // nothing was printed for the time asked for
	TerminalEnded   = "ended"   // the session's program ended
	TerminalTimeout = "timeout" // none of it within the time limit
)

// TerminalInfo says what a session is.
type TerminalInfo struct {
	Session  string `json:"session"`
	Command  string `json:"command"`
	Rows     int    `json:"rows"`
	Cols     int    `json:"cols"`
	Running  bool   `json:"running"`
	ExitCode int    `json:"exit_code"` // of a session that ended; 128 and the signal where one ended it
	Signal   string `json:"signal"`    // its name, "" where there was none
	Log      string `json:"log"`       // file with the raw output, "" where there is none
}

// TerminalAnswer answers a request to the terminals.
type TerminalAnswer struct {
	Info      TerminalInfo   `json:"info"`
	Reason    string         `json:"reason"` // why a wait came back, one of the Terminal constants
	Lines     []string       `json:"lines"`  // what the screen shows, row by row
	Row       int            `json:"row"`    // of the cursor, from 0
	Col       int            `json:"col"`
	Alternate bool           `json:"alternate"` // a full-screen program has the screen
	History   []string       `json:"history"`   // lines above the screen, the newest last
	Above     int            `json:"above"`     // how many there are
	Printed   int64          `json:"printed"`   // bytes since the last answer
	Skipped   int64          `json:"skipped"`   // of them not drawn: faster than a screen can follow
	Resets    int            `json:"resets"`    // how often the screen was lost to a sequence it could not draw
	Taken     int            `json:"taken"`     // bytes of input that the program's terminal took
	Offered   int            `json:"offered"`   // bytes of input there were
	Sessions  []TerminalInfo `json:"sessions"`  // for list
	Ended     []TerminalInfo `json:"ended"`     // other sessions whose end is told for the first time
}

// AttachRequest opens a session for the host, which the model does not see: a
// person's, or a program's that the host speaks to. It travels as JSON in the
// header named OptionsHeader.
type AttachRequest struct {
	Argv []string          `json:"argv"` // empty for the image's shell
	Dir  string            `json:"dir"`  // empty for the workspace
	Env  map[string]string `json:"env"`  // added to the usual one
	TTY  bool              `json:"tty"`  // on a terminal; else through pipes
	Rows int               `json:"rows"`
	Cols int               `json:"cols"`
	Term string            `json:"term"` // the kind of terminal there is on the other side
}

// AttachProtocol is what the attach route upgrades to.
const AttachProtocol = "drydock-attach"
