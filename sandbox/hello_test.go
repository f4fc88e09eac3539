package sandbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/sandboxtest/fake"
	"drydock/sandbox/wire"
)

// answering is a guest that answers one route in its own way.
func answering(route string, status int, body any) *fake.Engine {
	return &fake.Engine{Answers: map[string]http.HandlerFunc{route: func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}}}
}

func silent(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

// A guest that is not what it should be is reported within the limit, with what
// the engine knows of the container, and the container is removed.
func TestGuestThatDoesNotGreet(t *testing.T) {
	late := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for name, row := range map[string]struct {
		engine *fake.Engine
		want   string
	}{
		"silent":   {&fake.Engine{Guest: silent}, "the guest does not answer"},
		"too late": {&fake.Engine{Answers: map[string]http.HandlerFunc{wire.PathHello: late}}, "the guest does not answer"},
		"ended":    {&fake.Engine{Guest: func(conn net.Conn) { _ = conn.Close() }}, "wait for the guest"},
		"another tongue": {&fake.Engine{Guest: func(conn net.Conn) {
			_, _ = conn.Write([]byte("sh: not found\r\n\r\n\r\n"))
			silent(conn)
		}}, "wait for the guest"},
		"another version": {
			answering(wire.PathHello, http.StatusOK, wire.Hello{Version: wire.Version + 1}),
			fmt.Sprintf("the guest speaks protocol %d and the host %d", wire.Version+1, wire.Version),
		},
		"an error":    {answering(wire.PathHello, http.StatusInternalServerError, "no"), "500 Internal Server Error"},
		"nonsense":    {answering(wire.PathHello, http.StatusOK, []int{1}), "read the guest's answer"},
		"not removed": {&fake.Engine{Guest: silent, RemoveErr: errors.New("no removal")}, "the guest does not answer (container: running); then no removal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limit := patience
			if strings.Contains(row.want, "does not answer") {
				limit = 200 * time.Millisecond
			}
			client := sandbox.Hasty(limit, 50*time.Millisecond)
			began := time.Now()
			_, err := client.Create(t.Context(), row.engine, "run", sandbox.DefaultPolicy())
			lost := assertLost(t, err)
			assert.ErrorContains(t, err, row.want)
			assert.Equal(t, lost.State, "running")
			assert.Equal(t, row.engine.Containers()[0].Removed(), 1)
			assert.Equal(t, client.Open(), 0)
			assert.Assert(t, time.Since(began) < patience)
		})
	}
}

func TestEngineThatDoesNotStart(t *testing.T) {
	t.Parallel()
	refused := errors.New("no room")
	client := new(sandbox.Client)
	_, err := client.Create(t.Context(), &fake.Engine{StartErr: refused}, "run", sandbox.DefaultPolicy())
	assert.ErrorIs(t, err, refused)
	assert.Equal(t, client.Open(), 0)
}
