// Package docker runs sandboxes on a Docker engine. It is the only package
// that imports the engine's client.
package docker

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/versions"
	"github.com/docker/docker/client"

	"drydock/sandbox"
)

// MinAPIVersion is the oldest engine API that the container profile can be
// expressed in (Docker 20.10).
const MinAPIVersion = "1.41"

// connectTimeout bounds the first conversation with the engine, so that a
// hanging daemon is reported instead of waited for.
const connectTimeout = 10 * time.Second

// Engine is a connection to a Docker engine. It is safe for concurrent use.
type Engine struct {
	cli   *client.Client
	info  Info
	quota quota
}

// Info says what engine was found.
type Info struct {
	Name         string `json:"name"`        // Docker, or Podman where it answers in its place
	Version      string `json:"version"`     // the engine's own, for example 20.10.24
	APIVersion   string `json:"api_version"` // negotiated
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
	Host         string `json:"host"` // the address in use
}

// Connect finds the engine the way the docker command does (DOCKER_HOST, TLS
// variables, the current context, the default socket), negotiates the API
// version and refuses an engine that is too old. Every failure is a
// *sandbox.EngineError.
func Connect(ctx context.Context) (*Engine, error) {
	where, err := findEndpoint()
	if err != nil {
		return nil, engineErr("find the engine", err)
	}
	opts, err := where.options()
	if err != nil {
		return nil, engineErr("connect to the engine", err)
	}
	cli, err := client.NewClientWithOpts(opts...)
	if err != nil {
		return nil, engineErr("connect to the engine", err)
	}
	e := &Engine{cli: cli, info: Info{Host: cmp.Or(where.host, cli.DaemonHost())}}
	if err := e.handshake(ctx); err != nil {
		_ = cli.Close()
		return nil, err
	}
	return e, nil
}

func (e *Engine) handshake(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	ping, err := e.cli.Ping(ctx)
	if err != nil {
		return engineErr("reach the engine at "+e.info.Host, err)
	}
	if ping.APIVersion != "" && versions.LessThan(ping.APIVersion, MinAPIVersion) {
		return engineErr("use the engine", fmt.Errorf("it speaks API %s and drydock needs %s or newer (Docker 20.10)", ping.APIVersion, MinAPIVersion))
	}
	e.cli.NegotiateAPIVersionPing(ping)
	if api := e.cli.ClientVersion(); versions.LessThan(api, MinAPIVersion) {
		return engineErr("use the engine", fmt.Errorf("%s is %s and drydock needs %s or newer", client.EnvOverrideAPIVersion, api, MinAPIVersion))
	}
	ver, err := e.cli.ServerVersion(ctx)
	if err != nil {
		return engineErr("ask the engine for its version", err)
	}
	e.info = Info{
		Name: engineName(ver), Version: ver.Version, APIVersion: e.cli.ClientVersion(),
		Architecture: ver.Arch, OS: ver.Os, Host: e.info.Host,
	}
	if e.info.OS != "linux" {
		return engineErr("use the engine", fmt.Errorf("it runs %s containers and drydock needs Linux ones", e.info.OS))
	}
	return nil
}

func engineName(v types.Version) string {
	for _, c := range v.Components {
		if strings.HasPrefix(c.Name, "Podman") {
			return "Podman"
		}
	}
	return "Docker"
}

// Info tells what engine this is.
func (e *Engine) Info() Info { return e.info }

// Close releases the connection. Containers are not touched.
func (e *Engine) Close() error { return e.cli.Close() }

func engineErr(op string, err error) error {
	if err == nil {
		return nil
	}
	return &sandbox.EngineError{Op: op, Err: oneLine(tidy(plain(err)))}
}

// tidy takes the daemon's own prefix off a message that will be shown to a person.
func tidy(err error) error {
	const prefix = "Error response from daemon: "
	if msg := err.Error(); strings.HasPrefix(msg, prefix) {
		return trimmed{err, strings.TrimPrefix(msg, prefix)}
	}
	return err
}

type trimmed struct {
	error
	msg string
}

func (t trimmed) Error() string { return t.msg }
func (t trimmed) Unwrap() error { return t.error }
