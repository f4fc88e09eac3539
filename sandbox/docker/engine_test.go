package docker

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
)

func assertEngineError(t *testing.T, err error, want string) {
	t.Helper()
	var engine *sandbox.EngineError
	assert.Assert(t, errors.As(err, &engine), "%v", err)
	assert.ErrorContains(t, err, want)
	assert.Assert(t, !strings.Contains(err.Error(), "\n"), "more than one line: %q", err.Error())
}

// fakeEngine answers a ping and a version question.
func fakeEngine(t *testing.T, api, os string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if api != "" {
			w.Header().Set("Api-Version", api)
		}
		if strings.HasSuffix(r.URL.Path, "/_ping") {
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"Version": "1.2.3", "ApiVersion": api, "MinAPIVersion": "1.12", "Os": os, "Arch": "arm64"})
	}))
	t.Cleanup(server.Close)
	useEngine(t, "tcp://"+server.Listener.Addr().String())
}

func useEngine(t *testing.T, host string) {
	t.Helper()
	clean(t)
	t.Setenv("DOCKER_HOST", host)
}

func TestConnectRefusesAnUnfitEngine(t *testing.T) {
	for name, row := range map[string]struct{ api, os, want string }{
		"too old":     {"1.40", "linux", "it speaks API 1.40 and drydock needs 1.41 or newer"},
		"much older":  {"1.9", "linux", "it speaks API 1.9 and drydock needs 1.41 or newer"},
		"for Windows": {"1.43", "windows", "it runs windows containers and drydock needs Linux ones"},
	} {
		t.Run(name, func(t *testing.T) {
			fakeEngine(t, row.api, row.os)
			_, err := Connect(t.Context())
			assertEngineError(t, err, row.want)
		})
	}
}

func TestConnectNegotiates(t *testing.T) {
	for _, api := range []string{"1.41", "1.43", "1.99"} {
		fakeEngine(t, api, "linux")
		e, err := Connect(t.Context())
		assert.NilError(t, err, api)
		info := e.Info()
		assert.Equal(t, info.Version+" "+info.Architecture+" "+info.OS, "1.2.3 arm64 linux")
		assert.Assert(t, api == "1.99" || info.APIVersion == api, info.APIVersion)
		assert.NilError(t, e.Close())
	}
}

func TestConnectWithoutAnEngine(t *testing.T) {
	useEngine(t, "unix:///nonexistent/docker.sock")
	_, err := Connect(t.Context())
	assertEngineError(t, err, "reach the engine at unix:///nonexistent/docker.sock")

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	assert.NilError(t, err)
	address := "tcp://" + listener.Addr().String()
	assert.NilError(t, listener.Close())
	useEngine(t, address)
	_, err = Connect(t.Context())
	assertEngineError(t, err, "reach the engine at "+address)

	useEngine(t, "nonsense")
	_, err = Connect(t.Context())
	assertEngineError(t, err, "connect to the engine")
}

func TestConnectDoesNotWaitForAHangingEngine(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") // accepts in the kernel, answers never
	assert.NilError(t, err)
	defer listener.Close()
	useEngine(t, "tcp://"+listener.Addr().String())
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err = Connect(ctx)
	assertEngineError(t, err, "reach the engine")
	assert.Assert(t, time.Since(began) < connectTimeout)
}

func TestConnectToSomethingElse(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "<html>\nno such page\n</html>", http.StatusBadGateway)
	}))
	defer server.Close()
	useEngine(t, "tcp://"+server.Listener.Addr().String())
	_, err := Connect(t.Context())
	assertEngineError(t, err, "reach the engine")
}
