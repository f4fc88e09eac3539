package fakellm

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// maxRequestBytes bounds what is read of one request.
const maxRequestBytes = 256 << 20

// Handler is the server without a listener. It is safe for concurrent use.
type Handler struct {
	mu       sync.Mutex
	turns    []Turn
	requests []Request
	played   int           // turns handed out
	arrived  chan struct{} // closed and replaced with each request
	released chan struct{} // closed and replaced by Release
}

// NewHandler plays the turns in order, one for each valid chat request. It
// answers GET /v1/models and POST /v1/chat/completions, each with and without
// the /v1, and the paths of Azure's deployments.
func NewHandler(turns ...Turn) *Handler {
	return &Handler{
		turns:    slices.Clone(turns),
		arrived:  make(chan struct{}),
		released: make(chan struct{}),
	}
}

// azureDeployment is what Azure's paths begin with.
var azureDeployment = regexp.MustCompile(`^/openai/deployments/[^/]+`)

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := azureDeployment.ReplaceAllString(strings.TrimPrefix(r.URL.Path, "/v1"), "")
	switch {
	case path == "/models" && r.Method == http.MethodGet:
		listModels(w)
	case path == "/chat/completions" && r.Method == http.MethodPost:
		h.chat(w, r)
	default:
		writeError(w, http.StatusNotFound, "", "unknown request URL: "+r.Method+" "+r.URL.Path)
	}
}

func listModels(w http.ResponseWriter) {
	writeJSON(w, http.StatusOK, marshal(map[string]any{
		"object": "list",
		"data":   []map[string]any{{"id": ModelName, "object": "model", "created": 0, "owned_by": "fakellm"}},
	}))
}

func (h *Handler) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequestBytes))
	if err != nil {
		writeError(w, http.StatusRequestEntityTooLarge, "", "the request could not be read: "+err.Error())
		return
	}
	request := Request{Path: r.URL.RequestURI(), Header: r.Header.Clone(), Body: body}
	if err := json.Unmarshal(body, &request.Chat); err != nil {
		request.Problem = "the body is not a chat request: " + err.Error()
	} else if err := check(request.Chat); err != nil {
		request.Problem = err.Error()
	}
	turn, to, ok := h.take(request)
	switch {
	case request.Problem != "":
		writeError(w, http.StatusBadRequest, "", request.Problem)
	case !ok:
		writeError(w, http.StatusBadRequest, "script_ended", "the fake server has no turn left")
	default:
		to.chat = request.Chat
		play(w, r, turn, to)
	}
}

// take logs the request and, if it is valid, gives the next turn and what its
// answer needs to know. A Release from now on counts for it.
func (h *Handler) take(request Request) (Turn, answering, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.requests = append(h.requests, request)
	close(h.arrived)
	h.arrived = make(chan struct{})
	if request.Problem != "" || len(h.turns) == 0 {
		return Turn{}, answering{}, false
	}
	turn := h.turns[0]
	h.turns = h.turns[1:]
	h.played++
	return turn, answering{number: h.played, released: h.released}, true
}

// Add appends turns to those not yet played.
func (h *Handler) Add(turns ...Turn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.turns = append(h.turns, turns...)
}

// Left counts the turns not yet played.
func (h *Handler) Left() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.turns)
}

// Requests gives every chat request so far, refused ones included.
func (h *Handler) Requests() []Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.requests)
}

// Release lets every answer go that hangs, or will: those to all requests so far.
func (h *Handler) Release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.released)
	h.released = make(chan struct{})
}

// Await returns when n chat requests have come, or with the context's error.
func (h *Handler) Await(ctx context.Context, n int) error {
	for {
		h.mu.Lock()
		enough, arrived := len(h.requests) >= n, h.arrived
		h.mu.Unlock()
		if enough {
			return nil
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
