package terminal

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"drydock/sandbox/wire"
	"drydock/tools"
)

type args struct {
	Action  string   `json:"action" jsonschema:"One of start, send, wait, read, resize, stop, list."`
	Session string   `json:"session,omitempty" jsonschema:"The session's name, such as t1. May be left out when there is only one."`
	Command string   `json:"command,omitempty" jsonschema:"For start: what to run; left out, the shell."`
	Text    string   `json:"text,omitempty" jsonschema:"For send: what to type. A line break is the Enter key."`
	Keys    []string `json:"keys,omitempty" jsonschema:"For send: keys to press after the text, such as [\"C-c\"] or [\"Down\", \"Enter\"]."`
	WaitFor string   `json:"wait_for,omitempty" jsonschema:"Come back when this has been printed. Written as /.../ it is a regular expression (RE2)."`
	QuietMS float64  `json:"quiet_ms,omitempty" jsonschema:"Come back when nothing was printed for so many milliseconds (500, but never with wait_for, if left out)."`
	Timeout float64  `json:"timeout,omitempty" jsonschema:"Seconds to wait at most (10 if left out)."`
	Rows    int      `json:"rows,omitempty" jsonschema:"For start (24 if left out) and resize: height of the screen."`
	Cols    int      `json:"cols,omitempty" jsonschema:"For start (80 if left out) and resize: width of the screen."`
	History int      `json:"history,omitempty" jsonschema:"Lines from above the screen to show as well, at most 1000."`
}

// What a wait is where nothing is said.
const (
	usualWait  = 10 * time.Second
	usualQuiet = 500 * time.Millisecond
)

// paths are the routes of the actions.
var paths = map[string]string{
	"start": wire.PathTerminalStart, "send": wire.PathTerminalSend, "wait": wire.PathTerminalWait, "read": wire.PathTerminalRead,
	"resize": wire.PathTerminalResize, "stop": wire.PathTerminalStop, "list": wire.PathTerminalList,
}

const actions = "start, send, wait, read, resize, stop and list"

// check finds what is wrong with the arguments before anything is done.
func (a args) check() error {
	if a.Action == "" {
		return errors.New("action is missing; the actions are " + actions)
	}
	if _, ok := paths[a.Action]; !ok {
		return fmt.Errorf("there is no action %q; the actions are %s", a.Action, actions)
	}
	for _, only := range []struct {
		name    string
		given   bool
		actions []string
	}{
		{"command", a.Command != "", []string{"start"}},
		{"text", a.Text != "", []string{"send"}},
		{"keys", len(a.Keys) > 0, []string{"send"}},
		{"rows", a.Rows != 0, []string{"start", "resize"}},
		{"cols", a.Cols != 0, []string{"start", "resize"}},
		{"wait_for", a.WaitFor != "", []string{"start", "send", "wait"}},
		{"quiet_ms", a.QuietMS != 0, []string{"start", "send", "wait"}},
	} {
		if only.given && !slices.Contains(only.actions, a.Action) {
			return fmt.Errorf("%s goes with %s, not with %s", only.name, strings.Join(only.actions, " and "), a.Action)
		}
	}
	return a.checkValues()
}

func (a args) checkValues() error {
	switch {
	case a.Action == "start" && a.Session != "":
		return errors.New("start takes no session: it gives the new one its name")
	case a.Action == "send" && a.Text == "" && len(a.Keys) == 0:
		return errors.New(`send needs text or keys, such as {"action": "send", "text": "help\n"} or {"action": "send", "keys": ["C-c"]}`)
	case a.Action == "resize" && (a.Rows == 0 || a.Cols == 0):
		return errors.New("resize needs rows and cols")
	case strings.ContainsRune(a.Command, 0):
		return errors.New("command holds a NUL character, which no shell can take")
	case a.QuietMS < 0:
		return fmt.Errorf("quiet_ms is %g; give milliseconds, more than 0", a.QuietMS)
	case a.History < 0 || a.History > wire.MaxTerminalHistory:
		return fmt.Errorf("history is %d; give 0 to %d lines", a.History, wire.MaxTerminalHistory)
	case a.Rows < 0 || a.Cols < 0 || a.Rows > wire.MaxTerminalRows || a.Cols > wire.MaxTerminalCols:
		return fmt.Errorf("rows can be 1 to %d and cols 1 to %d", wire.MaxTerminalRows, wire.MaxTerminalCols)
	}
	if pattern, ok := a.pattern(); ok {
		if _, err := regexp.Compile(pattern); err != nil {
			return fmt.Errorf("wait_for %q is no regular expression (RE2): %w", pattern, err)
		}
	}
	_, err := tools.Seconds(a.Timeout)
	return err
}

// pattern is what stands between slashes in wait_for.
func (a args) pattern() (string, bool) {
	if len(a.WaitFor) > 2 && strings.HasPrefix(a.WaitFor, "/") && strings.HasSuffix(a.WaitFor, "/") {
		return a.WaitFor[1 : len(a.WaitFor)-1], true
	}
	return "", false
}

// request is the arguments as the sandbox takes them.
func (a args) request(most time.Duration) wire.TerminalRequest {
	limit, _ := tools.Seconds(a.Timeout) // checked
	if limit == 0 {
		limit = usualWait
	}
	quiet := time.Duration(min(a.QuietMS, 1e9) * float64(time.Millisecond))
	if quiet == 0 && a.WaitFor == "" {
		quiet = usualQuiet
	}
	req := wire.TerminalRequest{
		Session: a.Session, Command: a.Command, Rows: a.Rows, Cols: a.Cols, Text: a.Text, Keys: a.Keys, History: a.History,
		Until: wire.TerminalUntil{Text: a.WaitFor, Quiet: quiet, Timeout: min(limit, most)},
	}
	if pattern, ok := a.pattern(); ok {
		req.Until.Text, req.Until.Pattern = "", pattern
	}
	return req
}
