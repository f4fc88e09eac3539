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

	"github.com/docker/docker/api/types"
	"github.com/docker/docker/api/types/container"

	"drydock/sandbox"
	"drydock/sandbox/guestbin"
)

// removeLimit bounds the removal of a container whose context has no deadline.
// gVisor ends its own kernel with all that is in it, which takes a busy machine
// much longer.
const (
	removeLimit       = 8 * time.Second
	removeSentryLimit = 30 * time.Second
)

// startLimit bounds everything from the creation of a container to its start. A
// machine that is short of everything takes many seconds.
const startLimit = 90 * time.Second

// Container is a started container. It implements sandbox.Container.
type Container struct {
	engine *Engine
	id     string
	conn   types.HijackedResponse
	stream *stream
	ending *ending
	load   load

	started bool
	limit   time.Duration // of the removal

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
	if err := e.CheckRuntime(ctx, spec.Policy); err != nil {
		return nil, err
	}
	guest, err := guestbin.Binary(ctx, e.info.Architecture)
	if err != nil {
		return nil, &sandbox.EngineError{Op: "provide the guest", Err: err}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startLimit, errors.New("the engine does not answer; look at it with 'docker info', or restart it"))
	defer cancel()
	image := e.furnishedImage(ctx, spec, guest)
	c := &Container{engine: e, limit: removeLimit}
	if sandbox.SentryRuntime(spec.Policy.Runtime) {
		c.limit = removeSentryLimit
	}
	c.id, err = e.create(ctx, spec, cmp.Or(image, spec.Policy.Image), string(setup))
	var missing *sandbox.ImageError
	if image != "" && errors.As(err, &missing) { // another drydock took it for outdated meanwhile
		image = ""
		c.id, err = e.create(ctx, spec, spec.Policy.Image, string(setup))
	}
	if err != nil {
		return nil, err
	}
	if image == "" {
		err = c.furnish(ctx, spec, guest)
	}
	if err == nil {
		err = c.begin(ctx)
	}
	if err != nil {
		return nil, also(err, c.Remove(context.WithoutCancel(ctx)))
	}
	return c, nil
}

// begin attaches and starts. Attaching comes before the start, or the
// guest's first bytes would be lost.
func (c *Container) begin(ctx context.Context) error {
	c.ending = c.engine.awaitEnding(c.id)
	if err := c.attach(ctx); err != nil {
		return engineErr("attach to the sandbox", err)
	}
	c.ending.awaitBegin(ctx)
	if err := c.engine.cli.ContainerStart(ctx, c.id, container.StartOptions{}); err != nil {
		return engineErr("start the sandbox", err)
	}
	c.started = true
	return nil
}

// attach does not outlive its context, which the engine's client does when the
// engine takes the request and then says nothing.
func (c *Container) attach(ctx context.Context) error {
	type answer struct {
		conn types.HijackedResponse
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		conn, err := c.engine.cli.ContainerAttach(ctx, c.id, container.AttachOptions{Stream: true, Stdin: true, Stdout: true, Stderr: true})
		answers <- answer{conn, err}
	}()
	select {
	case a := <-answers:
		if a.err == nil {
			c.conn, c.stream = a.conn, newStream(a.conn)
		}
		return a.err
	case <-ctx.Done():
		go func() {
			if late := <-answers; late.err == nil {
				late.conn.Close()
			}
		}()
		return context.Cause(ctx)
	}
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

// Stream is the guest's stdin and stdout.
func (c *Container) Stream() io.ReadWriteCloser { return c.stream }

// ID is the engine's id of the container.
func (c *Container) ID() string { return c.id }

// Remove ends the container with its anonymous volumes. Letting go of the
// stream alone would do it within a second, because the guest ends with its
// input; asking the engine is faster and says when it is done.
func (c *Container) Remove(ctx context.Context) error {
	c.removing.Do(func() { c.err = c.remove(ctx) })
	return c.err
}

func (c *Container) remove(ctx context.Context) error {
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.limit)
		defer cancel()
	}
	if c.conn.Conn != nil {
		defer c.conn.Close()
	}
	if c.ending != nil {
		c.ending.forget()
	}
	if !c.started { // it does not go by itself
		return c.engine.remove(ctx, c.id, whileItMay)
	}
	return c.engine.remove(ctx, c.id, again)
}

// also adds a failure to clean up to the failure that made it necessary.
func also(err, cleanup error) error {
	if cleanup == nil {
		return err
	}
	return fmt.Errorf("%w; then %w", err, cleanup)
}

var _ sandbox.Engine = (*Engine)(nil)
