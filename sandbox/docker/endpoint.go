package docker

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/docker/docker/client"
)

// endpoint decides which engine to talk to, in the docker command's own order:
// DOCKER_HOST (with its TLS variables), DOCKER_CONTEXT, the current context of
// the Docker configuration, and then the default socket or, where that is
// missing, the places where rootless and desktop engines put theirs.
func endpoint() ([]client.Opt, error) {
	if os.Getenv(client.EnvOverrideHost) != "" {
		return []client.Opt{client.FromEnv}, nil
	}
	host, err := contextHost()
	if err != nil {
		return nil, err
	}
	if host == "" {
		host = localSocket()
	}
	opts := []client.Opt{client.FromEnv}
	if host != "" {
		opts = append(opts, client.WithHost(host))
	}
	return opts, nil
}

func dockerConfigDir() string {
	if dir := os.Getenv("DOCKER_CONFIG"); dir != "" {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".docker")
}

// contextHost reads the endpoint of the context in use, or "" for the default one.
func contextHost() (string, error) {
	name := os.Getenv("DOCKER_CONTEXT")
	if name == "" {
		name = currentContext()
	}
	if name == "" || name == "default" {
		return "", nil
	}
	sum := sha256.Sum256([]byte(name))
	meta := filepath.Join(dockerConfigDir(), "contexts", "meta", hex.EncodeToString(sum[:]), "meta.json")
	raw, err := os.ReadFile(meta)
	if err != nil {
		return "", fmt.Errorf("read docker context %q: %w", name, err)
	}
	var doc struct {
		Endpoints map[string]struct{ Host string }
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return "", fmt.Errorf("read docker context %q: %w", name, err)
	}
	return doc.Endpoints["docker"].Host, nil
}

func currentContext() string {
	raw, err := os.ReadFile(filepath.Join(dockerConfigDir(), "config.json"))
	if err != nil {
		return ""
	}
	var doc struct{ CurrentContext string }
	if json.Unmarshal(raw, &doc) != nil {
		return ""
	}
	return doc.CurrentContext
}

// localSocket returns the first socket that exists besides the default one,
// when the default one does not.
func localSocket() string {
	if _, err := os.Stat("/var/run/docker.sock"); err == nil {
		return ""
	}
	var candidates []string
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		candidates = append(candidates, filepath.Join(dir, "docker.sock"))
	}
	if home, err := os.UserHomeDir(); err == nil {
		candidates = append(candidates,
			filepath.Join(home, ".docker", "run", "docker.sock"),
			filepath.Join(home, ".docker", "desktop", "docker.sock"),
			filepath.Join(home, ".colima", "default", "docker.sock"))
	}
	for _, path := range candidates {
		if _, err := os.Stat(path); err == nil {
			return "unix://" + path
		}
	}
	return ""
}
