package guest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"drydock/sandbox/wire"
)

// routes is the guest's interface to the host.
func (g *Guest) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+wire.PathHello, func(w http.ResponseWriter, _ *http.Request) { answer(w, g.found, nil) })
	mux.HandleFunc("GET "+wire.PathStats, func(w http.ResponseWriter, _ *http.Request) { answer(w, g.counters.stats(), nil) })
	handle(mux, wire.PathExec, g.exec)
	handle(mux, wire.PathShell, g.shell.run)
	handle(mux, wire.PathPython, g.python.run)
	handle(mux, wire.PathQuiet, g.quiesce)
	mux.Handle("/v1/files/", g.worker)
	mux.Handle(wire.PathTerminal, g.terms)
	return mux
}

// handle serves one JSON call.
func handle[Req, Res any](mux *http.ServeMux, path string, do func(Req) (Res, error)) {
	mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
		var req Req
		if err := decode(r.Body, &req); err != nil {
			answer(w, nil, err)
			return
		}
		res, err := do(req)
		answer(w, res, err)
	})
}

func decode(body io.Reader, v any) error {
	if err := json.NewDecoder(io.LimitReader(body, wire.MaxJSON)).Decode(v); err != nil {
		return &failure{wire.CodeInvalid, fmt.Sprintf("read request: %v", err)}
	}
	return nil
}

func answer(w http.ResponseWriter, v any, err error) {
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		w.WriteHeader(http.StatusUnprocessableEntity)
		v = describe(err)
	}
	_ = json.NewEncoder(w).Encode(v)
}
