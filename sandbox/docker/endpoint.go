package docker

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/docker/docker/client"
)

// endpoint is where an engine is, and what it takes to talk to it.
type endpoint struct {
	host string      // with its scheme, "" for the client's default socket
	from string      // what named it, for errors
	tls  *tls.Config // nil for a connection that is not encrypted by itself
}

// findEndpoint decides which engine to talk to, in the docker command's own
// order: DOCKER_HOST (with its TLS variables), DOCKER_CONTEXT, the current
// context of the Docker configuration, and then the default socket or, where
// that is missing, the places where rootless and desktop engines put theirs.
func findEndpoint() (endpoint, error) {
	if host := os.Getenv(client.EnvOverrideHost); host != "" {
		return fromVariables(host)
	}
	if name := cmp.Or(os.Getenv("DOCKER_CONTEXT"), currentContext()); name != "" && name != "default" {
		return fromContext(name)
	}
	return endpoint{host: localSocket()}, nil
}

// fromVariables is what DOCKER_HOST names. Verification that is asked for
// without a directory takes the certificates of the Docker configuration.
func fromVariables(host string) (endpoint, error) {
	e := endpoint{host: host, from: client.EnvOverrideHost}
	verify := os.Getenv(client.EnvTLSVerify) != ""
	dir := os.Getenv(client.EnvOverrideCertPath)
	if dir == "" && verify {
		dir = dockerConfigDir()
	}
	if dir == "" || !e.overNetwork() {
		return e, nil
	}
	var err error
	if e.tls, err = loadTLS(dir, !verify); err != nil {
		return e, fmt.Errorf("read the certificates in %s: %w", dir, err)
	}
	return e, nil
}

// overNetwork says whether TLS can have a meaning.
func (e endpoint) overNetwork() bool {
	scheme, _, _ := strings.Cut(e.host, "://")
	return slices.Contains([]string{"tcp", "http", "https"}, scheme)
}

// options are those for the engine's client.
func (e endpoint) options() ([]client.Opt, error) {
	opts := []client.Opt{client.WithVersionFromEnv(), client.WithAPIVersionNegotiation()}
	scheme, rest, ok := strings.Cut(e.host, "://")
	switch {
	case e.host == "":
		return opts, nil
	case ok && scheme == "ssh":
		dial, err := sshDialer(e.host)
		if err != nil {
			return nil, fmt.Errorf("use the address of %s: %w", e.from, err) // it may hold a password
		}
		// The client only needs an address to put into its requests.
		return append(opts, client.WithHost("http://ssh.invalid"), client.WithDialContext(dial)), nil
	case ok && scheme == "npipe", ok && scheme == "fd":
		return nil, fmt.Errorf("%s is %s: drydock reaches engines over unix, tcp and ssh", e.from, e.host)
	case e.tls != nil:
		encrypted := &http.Client{Transport: &http.Transport{TLSClientConfig: e.tls}, CheckRedirect: client.CheckRedirect}
		return append(opts, client.WithHTTPClient(encrypted), client.WithHost("tcp://"+rest)), nil
	}
	return append(opts, client.WithHost(e.host)), nil
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
