package docker

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

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

// currentContext is the context that the docker command was told to use.
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

// fromContext reads a context of the docker command's store: the endpoint and,
// where there are any, its certificates.
func fromContext(name string) (endpoint, error) {
	sum := sha256.Sum256([]byte(name))
	store, id := filepath.Join(dockerConfigDir(), "contexts"), hex.EncodeToString(sum[:])
	e := endpoint{from: fmt.Sprintf("docker context %q", name)}
	raw, err := os.ReadFile(filepath.Join(store, "meta", id, "meta.json"))
	if err != nil {
		return e, fmt.Errorf("read %s: %w", e.from, err)
	}
	var doc struct {
		Endpoints map[string]struct {
			Host          string
			SkipTLSVerify bool
		}
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return e, fmt.Errorf("read %s: %w", e.from, err)
	}
	found := doc.Endpoints["docker"]
	if found.Host == "" {
		return e, fmt.Errorf("%s names no engine", e.from)
	}
	e.host = found.Host
	dir := filepath.Join(store, "tls", id, "docker")
	if _, err := os.Stat(dir); (err != nil && !found.SkipTLSVerify) || !e.overNetwork() {
		return e, nil
	}
	if e.tls, err = loadTLS(dir, found.SkipTLSVerify); err != nil {
		return e, fmt.Errorf("read the certificates of %s: %w", e.from, err)
	}
	return e, nil
}

// loadTLS reads ca.pem, cert.pem and key.pem from a directory. Each may be
// missing, the last two only together: the system's authorities count then, and
// the client shows nothing of itself.
func loadTLS(dir string, skipVerify bool) (*tls.Config, error) {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: skipVerify}
	ca, err := os.ReadFile(filepath.Join(dir, "ca.pem"))
	switch {
	case err == nil:
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(ca) {
			return nil, errors.New("ca.pem holds no certificate")
		}
	case !errors.Is(err, os.ErrNotExist):
		return nil, err
	}
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	if _, err := os.Stat(cert); errors.Is(err, os.ErrNotExist) {
		if _, err := os.Stat(key); errors.Is(err, os.ErrNotExist) {
			return cfg, nil
		}
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, err
	}
	cfg.Certificates = []tls.Certificate{pair}
	return cfg, nil
}
