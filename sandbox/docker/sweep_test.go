package docker_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/image"
	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/docker"
)

// aSandbox is the labels of a container that this process owns.
func aSandbox(t *testing.T) map[string]string {
	t.Helper()
	id := "test-labels-" + t.Name()
	box := newBox(t, id, nil)
	info, err := api(t).ContainerInspect(t.Context(), "drydock-"+id)
	assert.NilError(t, err)
	assert.NilError(t, box.Close(t.Context()))
	return info.Config.Labels
}

// orphaned is the labels of a container of a process that is gone.
func orphaned(t *testing.T, labels map[string]string) map[string]string {
	t.Helper()
	child := exec.CommandContext(t.Context(), "true")
	assert.NilError(t, child.Run())
	dead := maps.Clone(labels)
	dead["drydock.owner-pid"] = fmt.Sprint(child.Process.Pid)
	return dead
}

// plant makes a container with these labels, and starts it where asked to.
func plant(t *testing.T, img string, labels map[string]string, started bool) string {
	t.Helper()
	cli := api(t)
	host := &container.HostConfig{NetworkMode: "none", AutoRemove: true}
	made, err := cli.ContainerCreate(t.Context(), &container.Config{Image: img, Entrypoint: []string{"sleep", "600"}, Labels: labels}, host, nil, nil, "")
	assert.NilError(t, err)
	t.Cleanup(func() {
		err := cli.ContainerRemove(context.Background(), made.ID, container.RemoveOptions{Force: true, RemoveVolumes: true})
		assert.Assert(t, err == nil || errdefs.IsNotFound(err) || errdefs.IsConflict(err), "%v", err)
	})
	if started {
		assert.NilError(t, cli.ContainerStart(t.Context(), made.ID, container.StartOptions{}))
	}
	return made.ID
}

// found is what a sweep says of one thing, by its id or name; others' things
// are on the engine as well.
func found(all docker.Leftovers, id string) *docker.Leftover {
	for _, left := range all {
		if left.ID == id || left.Name == id {
			return &left
		}
	}
	return nil
}

func sweep(t *testing.T, opts docker.SweepOptions) docker.Leftovers {
	t.Helper()
	all, err := connect(t).Sweep(t.Context(), opts)
	assert.NilError(t, err)
	return all
}

const base = "drydock/base:latest"

func TestSweepRemovesWhatHasNoOwner(t *testing.T) {
	t.Parallel()
	alive := aSandbox(t)
	dead := orphaned(t, alive)
	running, created, owned := plant(t, base, dead, true), plant(t, base, dead, false), plant(t, base, alive, true)

	// Every run on this engine sweeps. Another one may have been faster.
	all := sweep(t, docker.SweepOptions{Quick: true})
	for _, id := range []string{running, created} {
		if left := found(all, id); left != nil {
			assert.Equal(t, left.Fate, docker.FateRemoved)
			assert.Equal(t, left.Run, alive["drydock.run"])
			assert.Assert(t, left.Age > 0 && left.Age < time.Hour, left.Age)
		}
		assert.Assert(t, !containerExists(t, id))
	}
	assert.Assert(t, found(all, owned) == nil, "it has an owner")
	assert.Assert(t, containerExists(t, owned))
}

func TestSweepKeepsWhatHasAnUnknownOwner(t *testing.T) {
	t.Parallel()
	elsewhere := maps.Clone(aSandbox(t))
	elsewhere["drydock.owner-host"], elsewhere["drydock.owner-boot"] = "elsewhere", "another"
	running, created := plant(t, base, elsewhere, true), plant(t, base, elsewhere, false)
	nobodys := plant(t, base, map[string]string{"drydock": "sandbox"}, false)

	assert.Assert(t, found(sweep(t, docker.SweepOptions{Quick: true}), running) == nil)
	all := sweep(t, docker.SweepOptions{})
	for id, why := range map[string]string{
		running: "its owner is on another machine", created: "its owner is on another machine",
		nobodys: "its labels do not say whose it is",
	} {
		assert.Equal(t, found(all, id).Fate, docker.FateKept)
		assert.Equal(t, found(all, id).Reason, why)
		assert.Assert(t, containerExists(t, id))
	}
	// All would take what does not run, and what runs for long enough. It is not
	// done here: other things of unknown owners may be on this engine.
	all = sweep(t, docker.SweepOptions{DryRun: true, All: true, OlderThan: time.Hour})
	assert.Equal(t, found(all, running).Fate, docker.FateKept)
	assert.Equal(t, found(all, created).Fate, docker.FateDoomed)
	all = sweep(t, docker.SweepOptions{DryRun: true, All: true})
	assert.Equal(t, found(all, running).Fate, docker.FateDoomed)
}

// Sweeps of several processes at once take nothing twice and fail at nothing.
func TestConcurrentSweeps(t *testing.T) {
	t.Parallel()
	dead := orphaned(t, aSandbox(t))
	var planted []string
	for i := range 6 {
		planted = append(planted, plant(t, base, dead, i%2 == 0))
	}
	engine := connect(t)
	var sweeps sync.WaitGroup
	for range 4 {
		sweeps.Go(func() {
			_, err := engine.Sweep(t.Context(), docker.SweepOptions{Quick: true})
			assert.Check(t, err)
		})
	}
	sweeps.Wait()
	for _, id := range planted {
		assert.Assert(t, !containerExists(t, id))
	}
}

// Who commits a sandbox has an image with its labels, and containers of it are
// not drydock's.
func TestSweepLeavesWhatIsMadeFromASandbox(t *testing.T) {
	t.Parallel()
	const ref = "drydock-test/committed:latest"
	cli := api(t)
	dead := orphaned(t, aSandbox(t))
	var changes []string
	for label, value := range dead {
		changes = append(changes, fmt.Sprintf("LABEL %s=%q", label, value))
	}
	importImage(t, ref, sharedFiles(t, "/bin/dash", "/usr/bin/sleep"), append(changes, "ENV PATH=/usr/bin:/bin")...)
	t.Cleanup(func() {
		_, err := cli.ImageRemove(context.Background(), ref, image.RemoveOptions{Force: true})
		assert.NilError(t, err)
	})
	id := plant(t, ref, nil, true)
	info, err := cli.ContainerInspect(t.Context(), id)
	assert.NilError(t, err)
	assert.Equal(t, info.Config.Labels["drydock"], "sandbox")
	assert.Assert(t, found(sweep(t, docker.SweepOptions{}), id) == nil)
	assert.Assert(t, containerExists(t, id))
}

// An image with the guest goes when nobody can ask for its own image any more.
func TestSweepOfImages(t *testing.T) {
	t.Parallel()
	const ref, other = "drydock-test/swept:latest", "drydock-test/swept:other"
	cli := api(t)
	importImage(t, ref, sharedFiles(t, "/bin/dash"), "ENV X="+fmt.Sprint(os.Getpid()))
	t.Cleanup(func() { dropFurnished(t, ref) })
	box := newBox(t, "test-swept", func(p *sandbox.Policy) { p.Image = ref })
	list := furnished(t, ref)
	assert.Equal(t, len(list), 1)
	name := list[0].RepoTags[0]
	remove := func(ref string) {
		_, err := cli.ImageRemove(t.Context(), ref, image.RemoveOptions{})
		assert.NilError(t, err)
	}

	assert.Assert(t, found(sweep(t, docker.SweepOptions{}), name) == nil, "it is of use")
	assert.NilError(t, cli.ImageTag(t.Context(), ref, other))
	remove(ref)
	assert.Assert(t, found(sweep(t, docker.SweepOptions{}), name) == nil, "its image has another name")
	remove(other)
	left := found(sweep(t, docker.SweepOptions{}), name)
	assert.Equal(t, left.Fate, docker.FateKept)
	assert.Equal(t, left.Reason, "a container uses it")

	assert.NilError(t, box.Close(t.Context()))
	if left = found(sweep(t, docker.SweepOptions{}), name); left != nil { // unless another sweep was faster
		assert.Equal(t, left.Fate, docker.FateRemoved)
		assert.Equal(t, left.Reason, "the image "+ref+" is not on the engine any more")
		assert.Assert(t, left.Size > 0)
	}
	assert.Equal(t, len(furnished(t, ref)), 0)
}
