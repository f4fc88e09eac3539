package docker

import (
	"crypto/sha256"
	"encoding/hex"
	"net"
	"os"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"
)

// clean gives a home without a Docker configuration and no Docker variables.
func clean(t *testing.T) (home string) {
	t.Helper()
	for _, name := range []string{"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH", "DOCKER_API_VERSION", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, "")
	}
	home = t.TempDir()
	t.Setenv("HOME", home)
	return home
}

func writeContext(t *testing.T, config, name, host string) {
	t.Helper()
	sum := sha256.Sum256([]byte(name))
	dir := filepath.Join(config, "contexts", "meta", hex.EncodeToString(sum[:]))
	assert.NilError(t, os.MkdirAll(dir, 0o755))
	doc := `{"Name":"` + name + `","Endpoints":{"docker":{"Host":"` + host + `"}}}`
	assert.NilError(t, os.WriteFile(filepath.Join(dir, "meta.json"), []byte(doc), 0o600))
}

func endpointHost(t *testing.T) string {
	t.Helper()
	found, err := findEndpoint()
	assert.NilError(t, err)
	return found.host
}

func TestEndpointOrder(t *testing.T) {
	home := clean(t)
	config := filepath.Join(home, ".docker")
	writeContext(t, config, "remote", "tcp://10.0.0.7:2375")
	writeContext(t, config, "other", "unix:///run/other.sock")

	write := func(text string) {
		assert.NilError(t, os.WriteFile(filepath.Join(config, "config.json"), []byte(text), 0o600))
	}
	write(`{"currentContext": "remote"}`)
	assert.Equal(t, endpointHost(t), "tcp://10.0.0.7:2375")

	t.Setenv("DOCKER_CONTEXT", "other")
	assert.Equal(t, endpointHost(t), "unix:///run/other.sock")

	t.Setenv("DOCKER_HOST", "tcp://127.0.0.1:99")
	assert.Equal(t, endpointHost(t), "tcp://127.0.0.1:99")

	t.Setenv("DOCKER_HOST", "")
	t.Setenv("DOCKER_CONTEXT", "default")
	assert.Equal(t, endpointHost(t), localSocket())

	t.Setenv("DOCKER_CONTEXT", "")
	write(`this is no JSON`) // the docker command warns and goes on
	assert.Equal(t, endpointHost(t), localSocket())
}

func TestEndpointOfAConfigurationElsewhere(t *testing.T) {
	clean(t)
	config := t.TempDir()
	t.Setenv("DOCKER_CONFIG", config)
	t.Setenv("DOCKER_CONTEXT", "here")
	writeContext(t, config, "here", "tcp://192.0.2.1:2375")
	assert.Equal(t, endpointHost(t), "tcp://192.0.2.1:2375")
}

func TestEndpointOfAContextThatIsBroken(t *testing.T) {
	home := clean(t)
	t.Setenv("DOCKER_CONTEXT", "absent")
	_, err := Connect(t.Context())
	assertEngineError(t, err, `find the engine: read docker context "absent"`)

	writeContext(t, filepath.Join(home, ".docker"), "absent", `"`)
	_, err = Connect(t.Context())
	assertEngineError(t, err, `read docker context "absent"`)
}

func TestLocalSockets(t *testing.T) {
	home := clean(t)
	if _, err := os.Stat("/var/run/docker.sock"); err == nil {
		assert.Equal(t, localSocket(), "", "the default socket comes first")
		return
	}
	assert.Equal(t, localSocket(), "")
	path := filepath.Join(home, ".docker", "run", "docker.sock")
	assert.NilError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	listener, err := net.Listen("unix", path)
	assert.NilError(t, err)
	defer listener.Close()
	assert.Equal(t, localSocket(), "unix://"+path)
}
