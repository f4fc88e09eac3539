package main

import (
	"context"
	"crypto/rand"
	"os/exec"
	"strconv"
	"strings"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/client"
	"github.com/rogpeppe/go-internal/testscript"

	"drydock/sandbox"
	"drydock/sandbox/docker"
)

// orphan VARIABLE OWNER makes a container whose owner is gone or elsewhere, and
// sets the variable to its name.
func orphan(ts *testscript.TestScript, _ bool, args []string) {
	cli := engineAPI(ts)
	id := "test-orphan-" + strings.ToLower(rand.Text()[:8])
	labels := sandboxLabels(ts, cli, id)
	switch args[1] {
	case "gone":
		child := exec.Command("true")
		ts.Check(child.Run())
		labels["drydock.owner-pid"] = strconv.Itoa(child.Process.Pid)
	case "elsewhere":
		labels["drydock.owner-host"], labels["drydock.owner-boot"] = "elsewhere", "another"
	}
	name := "drydock-" + id
	_, err := cli.ContainerCreate(context.Background(), &container.Config{Image: sandbox.DefaultPolicy().Image, Labels: labels},
		&container.HostConfig{NetworkMode: "none"}, nil, nil, name)
	ts.Check(err)
	ts.Defer(func() {
		_ = cli.ContainerRemove(context.Background(), name, container.RemoveOptions{Force: true}) // it may be gone
	})
	ts.Setenv(args[0], name)
}

// sandboxLabels are those that a sandbox of this process has.
func sandboxLabels(ts *testscript.TestScript, cli *client.Client, id string) map[string]string {
	ctx := context.Background()
	engine, err := docker.Connect(ctx)
	ts.Check(err)
	defer func() { _ = engine.Close() }()
	box, err := sandbox.Default().Create(ctx, engine, id, sandbox.DefaultPolicy())
	ts.Check(err)
	info, err := cli.ContainerInspect(ctx, "drydock-"+id)
	ts.Check(err)
	ts.Check(box.Close(ctx))
	return info.Config.Labels
}

// nocontainer NAME checks that the engine has no such container.
func noContainer(ts *testscript.TestScript, _ bool, args []string) {
	if _, err := engineAPI(ts).ContainerInspect(context.Background(), args[0]); !errdefs.IsNotFound(err) {
		ts.Fatalf("container %s: %v", args[0], err)
	}
}

func engineAPI(ts *testscript.TestScript) *client.Client {
	cli, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	ts.Check(err)
	ts.Defer(func() { _ = cli.Close() })
	return cli
}
