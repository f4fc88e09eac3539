package docker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"

	"drydock/sandbox"
	"drydock/sandbox/guestbin"
)

// removeLimit bounds the removal of a container.
const removeLimit = 8 * time.Second

// createGrace is how long a creation may go on after its caller gave up.
const createGrace = 5 * time.Second

// Container is a started container. It implements sandbox.Container.
type Container struct {
	engine *Engine
	id     string
	conn   types.HijackedResponse
	stream *stream

	removing sync.Once
	err      error
}

// Start makes a container under the policy, puts the guest into it, attaches to
// its first process and starts it. Nothing is left behind when it fails.
func (e *Engine) Start(ctx context.Context, spec sandbox.Spec) (sandbox.Container, error) {
	setup, err := json.Marshal(spec.Setup)
	if err != nil {
		return nil, fmt.Errorf("encode setup: %w", err)
	}
	guest, err := guestbin.Binary(ctx, e.info.Architecture)
	if err != nil {
		return nil, &sandbox.EngineError{Op: "provide the guest", Err: err}
	}
	image := e.furnishedImage(ctx, spec, guest)
	c := &Container{engine: e}
	if c.id, err = e.create(ctx, spec, cmp.Or(image, spec.Policy.Image), string(setup)); err != nil {
		return nil, err
	}
	if image == "" {
		err = c.furnish(ctx, spec, guest)
	}
	if err == nil {
		err = c.begin(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, c.Remove(ctx))
	}
	return c, nil
}

// create makes the container. The engine finishes what it has begun although
// its caller has gone, and a container that was never started is not removed by
// itself. So a cancelled creation is waited for, a while, and undone.
func (e *Engine) create(ctx context.Context, spec sandbox.Spec, image, setup string) (string, error) {
	patient, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(createGrace, cancel) })
	defer stop()
	config, host := containerConfig(spec, image, setup), hostConfig(spec.Policy.Profile())
	e.quota.apply(patient, e.cli, spec.Policy.Profile(), host)
	created, err := e.cli.ContainerCreate(patient, config, host, nil, nil, containerName(spec.RunID))
	if err != nil && !errdefs.IsNotFound(err) && ctx.Err() == nil && e.quota.withdraw(host) {
		created, err = e.cli.ContainerCreate(patient, config, host, nil, nil, containerName(spec.RunID))
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return "", engineErr("create the sandbox", context.Cause(ctx))
	case err != nil:
		return "", e.createErr(spec.Policy, err)
	case ctx.Err() != nil:
		return "", errors.Join(engineErr("create the sandbox", context.Cause(ctx)), e.remove(patient, created.ID))
	}
	return created.ID, nil
}

// begin attaches and starts. Attaching comes before the start, or the
// guest's first bytes would be lost.
func (c *Container) begin(ctx context.Context) error {
	conn, err := c.engine.cli.ContainerAttach(ctx, c.id, container.AttachOptions{Stream: true, Stdin: true, Stdout: true, Stderr: true})
	if err != nil {
		return engineErr("attach to the sandbox", err)
	}
	c.conn = conn
	c.stream = newStream(conn)
	if err := c.engine.cli.ContainerStart(ctx, c.id, container.StartOptions{}); err != nil {
		return engineErr("start the sandbox", err)
	}
	return nil
}

// furnish brings in what the guest needs. This is the only use of the engine's
// archive interface, on a container that has never run: later, a hostile
// process inside could turn it against the host.
func (c *Container) furnish(ctx context.Context, spec sandbox.Spec, guest []byte) error {
	archive, err := furniture(spec, guest)
	if err != nil {
		return fmt.Errorf("pack the guest: %w", err)
	}
	err = c.engine.cli.CopyToContainer(ctx, c.id, "/", archive, container.CopyToContainerOptions{})
	return engineErr("bring the guest into the sandbox", err)
}

// createErr tells a missing image from the engine's other refusals.
func (e *Engine) createErr(p sandbox.Policy, err error) error {
	if errdefs.IsNotFound(err) {
		return &sandbox.ImageError{Image: p.Image, Err: errors.New("is not on the engine")}
	}
	return engineErr("create the sandbox", err)
}

// Stream is the guest's stdin and stdout.
func (c *Container) Stream() io.ReadWriteCloser { return c.stream }

// ID is the engine's id of the container.
func (c *Container) ID() string { return c.id }

// State says what the engine knows of the container, and the last words of the
// guest, if it had any.
func (c *Container) State(ctx context.Context) string {
	text := "gone"
	info, err := c.engine.cli.ContainerInspect(ctx, c.id)
	switch {
	case err == nil:
		text = describeState(info.State)
	case !errdefs.IsNotFound(err):
		text = "unknown, the engine does not answer"
	}
	if c.stream != nil {
		if said := c.stream.lastWords(); said != "" {
			text += "; its last words: " + said
		}
	}
	return text
}

func describeState(s *container.State) string {
	if s == nil {
		return "unknown"
	}
	text := s.Status
	if s.Running {
		return text
	}
	text = fmt.Sprintf("%s (%d)", text, s.ExitCode)
	if s.OOMKilled {
		text += ", out of memory"
	}
	if s.Error != "" {
		text += ", " + s.Error
	}
	return text
}

// Remove ends the container with its anonymous volumes. Letting go of the
// stream alone would do it within a second, because the guest ends with its
// input; asking the engine is faster and says when it is done.
func (c *Container) Remove(ctx context.Context) error {
	c.removing.Do(func() { c.err = c.remove(ctx) })
	return c.err
}

func (c *Container) remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeLimit)
	defer cancel()
	if c.conn.Conn != nil {
		defer c.conn.Close()
	}
	return c.engine.remove(ctx, c.id)
}

// remove deletes a container by force and waits until it is gone.
func (e *Engine) remove(ctx context.Context, id string) error {
	for {
		err := e.cli.ContainerRemove(ctx, id, container.RemoveOptions{Force: true, RemoveVolumes: true})
		if err == nil || errdefs.IsNotFound(err) {
			return nil
		}
		if !errdefs.IsConflict(err) {
			return engineErr("remove the sandbox", err)
		}
		// The engine is removing it on its own account; look again until it has.
		if _, err := e.cli.ContainerInspect(ctx, id); errdefs.IsNotFound(err) {
			return nil
		}
		select {
		case <-ctx.Done():
			return engineErr("remove the sandbox", ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

var _ sandbox.Engine = (*Engine)(nil)
