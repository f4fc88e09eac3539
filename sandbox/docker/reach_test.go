package docker_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/docker"
)

// engineSocket is the socket of the engine that all tests use.
func engineSocket() string {
	if path, ok := strings.CutPrefix(os.Getenv("DOCKER_HOST"), "unix://"); ok {
		return path
	}
	return "/var/run/docker.sock"
}

// behind passes what arrives at a listener on to the engine, and gives its address.
func behind(t *testing.T, listener net.Listener) string {
	t.Helper()
	socket := engineSocket()
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _ = relay(conn, conn, socket) }()
		}
	}()
	return listener.Addr().String()
}

// relay connects an input and an output to a socket until the socket's side ends.
func relay(in io.Reader, out io.WriteCloser, socket string) error {
	engine, err := net.Dial("unix", socket)
	if err != nil {
		return err
	}
	defer engine.Close()
	go func() {
		_, _ = io.Copy(engine, in)
		_ = engine.(*net.UnixConn).CloseWrite()
	}()
	_, err = io.Copy(out, engine)
	_ = out.Close()
	return err
}

// works starts a sandbox at the engine that is found and runs a call in it.
func works(t *testing.T, host string) {
	t.Helper()
	engine, err := docker.Connect(t.Context())
	assert.NilError(t, err)
	defer func() { _ = engine.Close() }()
	assert.Equal(t, engine.Info().Host, host)
	id := "test-reach-" + rand.Text()
	box, err := new(sandbox.Client).Create(t.Context(), engine, id, sandbox.DefaultPolicy())
	assert.NilError(t, err)
	res, err := box.Shell(t.Context(), "seq 100000 | tail -n 1", time.Minute, false)
	assert.NilError(t, err)
	assert.Equal(t, string(res.Head), "100000\n")
	assert.NilError(t, box.Close(t.Context()))
}

// only leaves no Docker variable but those given.
func only(t *testing.T, variables map[string]string) {
	t.Helper()
	for _, name := range []string{"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH", "DOCKER_API_VERSION"} {
		t.Setenv(name, variables[name])
	}
	if variables["DOCKER_CONFIG"] == "" {
		t.Setenv("DOCKER_CONFIG", t.TempDir())
	}
}

func TestEngineBehindTCP(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	assert.NilError(t, err)
	host := "tcp://" + behind(t, listener)
	only(t, map[string]string{"DOCKER_HOST": host, "DOCKER_API_VERSION": "1.41"})
	works(t, host)
}

func TestEngineBehindTLS(t *testing.T) {
	certs := makeCertificates(t)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", certs.server)
	assert.NilError(t, err)
	host := "tcp://" + behind(t, listener)

	t.Run("named by variables", func(t *testing.T) {
		only(t, map[string]string{"DOCKER_HOST": host, "DOCKER_TLS_VERIFY": "1", "DOCKER_CERT_PATH": certs.dir})
		works(t, host)
	})
	t.Run("with the certificates of the configuration", func(t *testing.T) {
		only(t, map[string]string{"DOCKER_HOST": host, "DOCKER_TLS_VERIFY": "1", "DOCKER_CONFIG": certs.dir})
		works(t, host)
	})
	t.Run("named by a context", func(t *testing.T) {
		config := t.TempDir()
		only(t, map[string]string{"DOCKER_CONFIG": config, "DOCKER_CONTEXT": "far"})
		id := addContext(t, config, "far", host)
		assert.NilError(t, os.MkdirAll(filepath.Join(config, "contexts", "tls", id), 0o700))
		assert.NilError(t, os.Symlink(certs.dir, filepath.Join(config, "contexts", "tls", id, "docker")))
		works(t, host)
	})
	t.Run("refused", func(t *testing.T) {
		other := makeCertificates(t)
		for name, variables := range map[string]map[string]string{
			"unknown authority": {"DOCKER_TLS_VERIFY": "1", "DOCKER_CERT_PATH": other.dir},
			"bad certificate":   {"DOCKER_CERT_PATH": other.dir}, // the server does not know the client
			"no such file":      {"DOCKER_CERT_PATH": halfPair(t, certs.dir)},
		} {
			variables["DOCKER_HOST"] = host
			only(t, variables)
			_, err := docker.Connect(t.Context())
			assertRefused(t, err, "")
			t.Logf("%s: %v", name, err)
		}
	})
}

// halfPair is a directory with a certificate and no key.
func halfPair(t *testing.T, from string) string {
	dir := t.TempDir()
	assert.NilError(t, os.Symlink(filepath.Join(from, "cert.pem"), filepath.Join(dir, "cert.pem")))
	return dir
}

func assertRefused(t *testing.T, err error, want string) {
	t.Helper()
	var refused *sandbox.EngineError
	assert.Assert(t, errors.As(err, &refused), "%v", err)
	assert.ErrorContains(t, err, want)
	assert.Assert(t, !strings.Contains(err.Error(), "\n"), "%q", err.Error())
}

// addContext adds a context to a store of the docker command.
func addContext(t *testing.T, config, name, host string) (id string) {
	t.Helper()
	sum := sha256.Sum256([]byte(name))
	id = hex.EncodeToString(sum[:])
	dir := filepath.Join(config, "contexts", "meta", id)
	assert.NilError(t, os.MkdirAll(dir, 0o700))
	raw, err := json.Marshal(map[string]any{"Name": name, "Endpoints": map[string]any{"docker": map[string]any{"Host": host}}})
	assert.NilError(t, err)
	assert.NilError(t, os.WriteFile(filepath.Join(dir, "meta.json"), raw, 0o600))
	return id
}

// certificates are an authority's, with a pair for both sides in a directory.
type certificates struct {
	dir    string
	server *tls.Config
}

func makeCertificates(t *testing.T) certificates {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	assert.NilError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	assert.NilError(t, err)
	secret, err := x509.MarshalECPrivateKey(key)
	assert.NilError(t, err)
	dir := t.TempDir()
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	private := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret})
	for name, data := range map[string][]byte{"ca.pem": public, "cert.pem": public, "key.pem": private} {
		assert.NilError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	pair, err := tls.X509KeyPair(public, private)
	assert.NilError(t, err)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(public)
	return certificates{dir, &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert}}
}

// sshVariable makes the test binary an ssh: it names the engine's socket, or
// what to complain of.
const sshVariable = "DRYDOCK_TEST_SSH"

// beSSH connects its input and output to the engine, after noting its arguments.
func beSSH(what string) {
	if complaint, ok := strings.CutPrefix(what, "fail:"); ok {
		fmt.Fprintf(os.Stderr, "Warning: something else.\n%s\n", complaint)
		os.Exit(255)
	}
	socket, note, _ := strings.Cut(what, ",")
	_ = os.WriteFile(note, []byte(strings.Join(os.Args[1:], " ")), 0o600)
	_ = relay(os.Stdin, os.Stdout, socket)
}

// fakeSSH puts the test binary into the PATH as ssh.
func fakeSSH(t *testing.T, what string) {
	t.Helper()
	self, err := os.Executable()
	assert.NilError(t, err)
	bin := t.TempDir()
	assert.NilError(t, os.Symlink(self, filepath.Join(bin, "ssh")))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv(sshVariable, what)
}

func TestEngineBehindSSH(t *testing.T) {
	note := filepath.Join(t.TempDir(), "args")
	fakeSSH(t, engineSocket()+","+note)
	for host, want := range map[string]string{
		"ssh://far.example":                          "-T -o ConnectTimeout=10 -- far.example docker system dial-stdio",
		"ssh://me@far.example:2222/run/other/d.sock": "-T -o ConnectTimeout=10 -l me -p 2222 -- far.example docker --host unix:///run/other/d.sock system dial-stdio",
	} {
		only(t, map[string]string{"DOCKER_HOST": host})
		works(t, host)
		args, err := os.ReadFile(note)
		assert.NilError(t, err)
		assert.Equal(t, string(args), want)
	}
	t.Run("named by a context", func(t *testing.T) {
		config := t.TempDir()
		only(t, map[string]string{"DOCKER_CONFIG": config, "DOCKER_CONTEXT": "far"})
		addContext(t, config, "far", "ssh://far.example")
		works(t, "ssh://far.example")
	})
}

func TestEngineBehindSSHThatFails(t *testing.T) {
	fakeSSH(t, "fail:me@far.example: Permission denied (publickey).")
	only(t, map[string]string{"DOCKER_HOST": "ssh://far.example"})
	_, err := docker.Connect(t.Context())
	assertRefused(t, err, "reach the engine at ssh://far.example: ")
	assert.ErrorContains(t, err, "ssh: me@far.example: Permission denied (publickey).")
}

func TestAddressesThatAreRefused(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // nothing must be run
	for host, want := range map[string]string{
		"npipe:////./pipe/docker_engine":          "DOCKER_HOST is npipe:////./pipe/docker_engine: drydock reaches engines over unix, tcp and ssh",
		"fd://3":                                  "over unix, tcp and ssh",
		"ssh://":                                  "the host is missing",
		"ssh://-oProxyCommand=touch":              "the host is missing or no host's name",
		"ssh://-oProxyCommand=x@far.example":      "the user is no user's name",
		"ssh://far.example/run/$(touch x)/d.sock": "the path of the socket",
		"ssh://far.example/run/d.sock?x=1":        "nothing can come behind the host",
	} {
		only(t, map[string]string{"DOCKER_HOST": host})
		_, err := docker.Connect(t.Context())
		assertRefused(t, err, want)
	}
	only(t, map[string]string{"DOCKER_HOST": "ssh://me:hush@far.example"})
	_, err := docker.Connect(t.Context())
	assertRefused(t, err, "a password does not belong there")
	assert.Assert(t, !strings.Contains(err.Error(), "hush"), "%v", err)

	only(t, map[string]string{"DOCKER_HOST": "unix://" + engineSocket(), "DOCKER_API_VERSION": "1.30"})
	_, err = docker.Connect(t.Context())
	assertRefused(t, err, "DOCKER_API_VERSION is 1.30 and drydock needs 1.41 or newer")
}
