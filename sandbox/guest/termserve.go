package guest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"

	"drydock/sandbox/wire"
)

// serveTerminals is the worker process of the terminals.
func serveTerminals(args []string) error {
	if len(args) != 1 {
		return errors.New("terminals takes its setup as the one argument")
	}
	set := &termSet{sessions: map[string]*termSession{}}
	if err := json.Unmarshal([]byte(args[0]), &set.setup); err != nil {
		return fmt.Errorf("read setup: %w", err)
	}
	set.next = set.setup.First
	debug.SetMemoryLimit(256 << 20)
	warmThreads(8) // at the sandbox's process limit no thread can be made
	return serveWorker(set.routes())
}

func (s *termSet) routes() http.Handler {
	mux := http.NewServeMux()
	for path, do := range map[string]func(*http.Request, wire.TerminalRequest) (wire.TerminalAnswer, error){
		wire.PathTerminalStart: s.start, wire.PathTerminalSend: s.send, wire.PathTerminalWait: s.wait,
		wire.PathTerminalRead: s.read, wire.PathTerminalResize: s.resize, wire.PathTerminalStop: s.stop,
		wire.PathTerminalList: s.list,
	} {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			var req wire.TerminalRequest
			if err := decode(r.Body, &req); err != nil {
				answer(w, nil, err)
				return
			}
			res, err := do(r, req)
			answer(w, res, err)
		})
	}
	mux.HandleFunc("GET "+wire.PathTerminalAttach, s.attach)
	return mux
}

func (s *termSet) start(r *http.Request, req wire.TerminalRequest) (wire.TerminalAnswer, error) {
	until, err := s.until(req.Until)
	if err != nil {
		return wire.TerminalAnswer{}, err
	}
	t, err := s.open(req)
	if err != nil {
		return wire.TerminalAnswer{}, err
	}
	reason := t.await(r.Context(), until)
	return s.answer(t, reason, req.History), nil
}

func (s *termSet) send(r *http.Request, req wire.TerminalRequest) (wire.TerminalAnswer, error) {
	t, err := s.find(req.Session)
	if err != nil {
		return wire.TerminalAnswer{}, err
	}
	until, err := s.until(req.Until)
	if err != nil {
		return wire.TerminalAnswer{}, err
	}
	input, err := t.input(req)
	if err != nil {
		return wire.TerminalAnswer{}, err
	}
	taken, err := t.send(input, req.Text)
	if err != nil {
		return wire.TerminalAnswer{}, err
	}
	reason := t.await(r.Context(), until)
	a := s.answer(t, reason, req.History)
	a.Taken, a.Offered = taken, len(input)
	return a, nil
}

func (s *termSet) wait(r *http.Request, req wire.TerminalRequest) (wire.TerminalAnswer, error) {
	t, err := s.find(req.Session)
	if err != nil {
		return wire.TerminalAnswer{}, err
	}
	until, err := s.until(req.Until)
	if err != nil {
		return wire.TerminalAnswer{}, err
	}
	reason := t.await(r.Context(), until)
	return s.answer(t, reason, req.History), nil
}

func (s *termSet) read(_ *http.Request, req wire.TerminalRequest) (wire.TerminalAnswer, error) {
	t, err := s.find(req.Session)
	if err != nil {
		return wire.TerminalAnswer{}, err
	}
	return s.answer(t, "", req.History), nil
}

func (s *termSet) resize(_ *http.Request, req wire.TerminalRequest) (wire.TerminalAnswer, error) {
	t, err := s.find(req.Session)
	if err != nil {
		return wire.TerminalAnswer{}, err
	}
	if err := mustFitScreen(req.Rows, req.Cols); err != nil {
		return wire.TerminalAnswer{}, err
	}
	if err := t.resize(req.Rows, req.Cols); err != nil {
		return wire.TerminalAnswer{}, err
	}
	return s.answer(t, "", req.History), nil
}

func (s *termSet) stop(_ *http.Request, req wire.TerminalRequest) (wire.TerminalAnswer, error) {
	t, err := s.find(req.Session)
	if err != nil {
		return wire.TerminalAnswer{}, err
	}
	t.stop()
	a := s.answer(t, "", req.History)
	s.forget(t)
	return a, nil
}

func (s *termSet) list(*http.Request, wire.TerminalRequest) (wire.TerminalAnswer, error) {
	var a wire.TerminalAnswer
	for _, t := range s.all() {
		info, _ := t.tell()
		a.Sessions = append(a.Sessions, info)
	}
	return a, nil
}
