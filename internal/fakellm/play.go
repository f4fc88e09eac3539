package fakellm

import (
	"net"
	"net/http"
	"strconv"
)

// answering is what an answer needs to know of its request.
type answering struct {
	number   int // from 1
	chat     Chat
	released <-chan struct{}
}

func play(w http.ResponseWriter, r *http.Request, turn Turn, to answering) {
	for name, values := range turn.Header {
		w.Header()[name] = values
	}
	switch turn.fault {
	case faultReset:
		reset(w)
		return
	case faultHang:
		if !to.hang(r) {
			return
		}
	}
	if turn.Raw != nil {
		write(w, turn.status(), turn.Raw.ContentType, []byte(turn.Raw.Body))
		return
	}
	answer := turn.completion(to.number, to.chat.Model)
	switch {
	case turn.fault == faultTruncate:
		truncate(w, marshal(answer))
	case to.chat.Stream, turn.streaming.events != nil:
		stream(w, r, turn, answer, to)
	default:
		writeJSON(w, turn.status(), marshal(answer))
	}
}

func (t Turn) status() int {
	if t.Status == 0 {
		return http.StatusOK
	}
	return t.Status
}

// hang reports whether it was released rather than abandoned.
func (a answering) hang(r *http.Request) bool {
	select {
	case <-a.released:
		return true
	case <-r.Context().Done():
		return false
	}
}

// reset makes the kernel send RST instead of an orderly end.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		writeError(w, http.StatusInternalServerError, "", "cannot reset this connection: "+err.Error())
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// truncate promises more than it sends; the server then closes the connection.
func truncate(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	write(w, http.StatusOK, jsonType, body[:len(body)/2])
}

func writeError(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status, []byte(errorBody(status, code, message)))
}

func writeJSON(w http.ResponseWriter, status int, body []byte) { write(w, status, jsonType, body) }

// write ignores a client that has gone.
func write(w http.ResponseWriter, status int, contentType string, body []byte) {
	if contentType != "" {
		w.Header().Set("Content-Type", contentType)
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
