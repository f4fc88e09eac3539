package guest

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"

	"drydock/sandbox/wire"
)

// termSet is the sessions of a terminal worker.
type termSet struct {
	setup terminalSetup

	mu       sync.Mutex
	next     int64
	sessions map[string]*termSession
	starting int
}

// A terminal's size where none is asked for.
const (
	usualRows = 24
	usualCols = 80
)

func mustFitScreen(rows, cols int) error {
	if rows < 1 || cols < 1 || rows > wire.MaxTerminalRows || cols > wire.MaxTerminalCols {
		return &failure{wire.CodeInvalid, fmt.Sprintf("rows must be 1 to %d and cols 1 to %d; %d and %d were given",
			wire.MaxTerminalRows, wire.MaxTerminalCols, rows, cols)}
	}
	return nil
}

// open starts a session.
func (s *termSet) open(req wire.TerminalRequest) (*termSession, error) {
	if req.Rows == 0 {
		req.Rows = usualRows
	}
	if req.Cols == 0 {
		req.Cols = usualCols
	}
	if err := mustFitScreen(req.Rows, req.Cols); err != nil {
		return nil, err
	}
	if len(req.Command) > wire.MaxTerminalText {
		return nil, &failure{wire.CodeTooLarge, fmt.Sprintf("a command of %d bytes is over the limit of %d", len(req.Command), wire.MaxTerminalText)}
	}
	name, err := s.reserve()
	if err != nil {
		return nil, err
	}
	t, err := s.launch(name, req)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starting--
	if err != nil {
		return nil, err
	}
	s.sessions[name] = t
	return t, nil
}

// reserve finds room for one more session. One that has ended makes room, the
// oldest first.
func (s *termSet) reserve() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sessions)+s.starting >= wire.MaxTerminals && !s.dropEnded() {
		return "", &failure{wire.CodeBusy, fmt.Sprintf("there are %d sessions already, which is the limit; stop one first: %s",
			wire.MaxTerminals, s.describe())}
	}
	s.starting++
	name := "t" + strconv.FormatInt(s.next, 10)
	s.next++
	return name, nil
}

func (s *termSet) dropEnded() bool {
	for _, t := range s.sorted() {
		if t.over() {
			delete(s.sessions, t.name)
			t.release()
			return true
		}
	}
	return false
}

// launch starts the program of a session.
func (s *termSet) launch(name string, req wire.TerminalRequest) (*termSession, error) {
	argv := []string{s.setup.Shell}
	if s.setup.Shell == "" {
		return nil, &failure{wire.CodeMissing, "the image has neither bash nor sh"}
	}
	if strings.TrimSpace(req.Command) != "" {
		argv = append(argv, "-c", req.Command)
	}
	dir := req.Dir
	if dir == "" {
		dir = s.setup.Dir
	} else if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.setup.Dir, dir)
	}
	t := &termSession{name: name, command: req.Command, rows: req.Rows, cols: req.Cols, log: s.openLog(name), left: s.setup.MaxLog}
	if strings.TrimSpace(req.Command) == "" {
		t.command = filepath.Base(s.setup.Shell)
	}
	mark := s.setup.Mark + "." + name
	if err := t.start(argv, dir, terminalEnv(mark, "", req.Env), mark); err != nil {
		t.dropLog()
		return nil, err
	}
	return t, nil
}

func (s *termSet) openLog(name string) *os.File {
	if s.setup.Logs == "" {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(s.setup.Logs, name+".raw"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil // a full disk; the screen still holds
	}
	return f
}

// find is the session of a name; without one it is the only one there is.
func (s *termSet) find(name string) (*termSession, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.sessions[name]; ok {
		return t, nil
	}
	if name == "" && len(s.sessions) == 1 {
		return s.sorted()[0], nil
	}
	what := fmt.Sprintf("there is no session %q", name)
	if name == "" {
		what = "session is missing"
	}
	if n, err := strconv.ParseInt(strings.TrimPrefix(name, "t"), 10, 64); err == nil && n > 0 {
		switch {
		case n < s.setup.First:
			what = fmt.Sprintf("session %s is gone: the process that held the terminals was ended, and its sessions with it", name)
		case n < s.next:
			what = fmt.Sprintf("session %s was stopped", name)
		}
	}
	if len(s.sessions) == 0 {
		return nil, &failure{wire.CodeNotFound, what + "; there are no sessions: start one"}
	}
	return nil, &failure{wire.CodeNotFound, what + "; the sessions are: " + s.describe()}
}

func (s *termSet) forget(t *termSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, t.name)
	t.release()
}

func (s *termSet) all() []*termSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sorted()
}

// sorted is the sessions, the oldest first.
func (s *termSet) sorted() []*termSession {
	var out []*termSession
	for _, t := range s.sessions {
		out = append(out, t)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].began.Before(out[j].began) })
	return out
}

func (s *termSet) describe() string {
	var parts []string
	for _, t := range s.sorted() {
		state := "running"
		if t.over() {
			state = "ended"
		}
		const most = 60
		command := t.command
		if len(command) > most {
			command = command[:most] + "…"
		}
		parts = append(parts, fmt.Sprintf("%s (%s, %s)", t.name, command, state))
	}
	return strings.Join(parts, ", ")
}

// answer says how a session stands, and which others have ended.
func (s *termSet) answer(t *termSession, reason string, history int) wire.TerminalAnswer {
	a := t.report(history)
	a.Reason = reason
	for _, other := range s.all() {
		if other == t {
			continue
		}
		if info, news := other.tell(); news {
			a.Ended = append(a.Ended, info)
		}
	}
	return a
}
