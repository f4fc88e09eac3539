package docker_test

import (
	"context"
	"testing"

	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/api/types/image"
	"gotest.tools/v3/assert"

	"drydock/sandbox"
	"drydock/sandbox/docker"
	"drydock/sandbox/wire"
)

// furnished lists the images with the guest that were made above one.
func furnished(t *testing.T, base string) []image.Summary {
	t.Helper()
	list, err := api(t).ImageList(context.Background(), image.ListOptions{Filters: filters.NewArgs(filters.Arg("label", "drydock.furnished-for="+base))})
	assert.NilError(t, err)
	return list
}

func importImage(t *testing.T, ref string, files map[string][]byte, changes ...string) {
	t.Helper()
	assert.NilError(t, connect(t).ImportImage(t.Context(), docker.ImageImport{Ref: ref, Rootfs: rootfs(t, files), Changes: changes}))
}

// An image gets the guest once, and again when it has become another one.
func TestOneImageWithTheGuestForEachImage(t *testing.T) {
	t.Parallel()
	const ref = "drydock-test/furnished:latest"
	files := sharedFiles(t, "/bin/dash")
	t.Cleanup(func() {
		_, err := api(t).ImageRemove(context.Background(), ref, image.RemoveOptions{Force: true})
		assert.NilError(t, err)
		dropFurnished(t, ref)
	})
	start := func(id string) string {
		box := newBox(t, id, func(p *sandbox.Policy) { p.Image = ref })
		assert.NilError(t, box.Close(t.Context()))
		list := furnished(t, ref)
		assert.Equal(t, len(list), 1)
		return list[0].ID
	}
	importImage(t, ref, files)
	first := start("test-furnished-1")
	assert.Equal(t, start("test-furnished-2"), first)
	importImage(t, ref, files, "ENV VERSION=2")
	assert.Assert(t, start("test-furnished-3") != first)
}

// A volume would hide what the guest's layer brings: the sandbox is the same.
func TestAVolumeOverTheWorkspace(t *testing.T) {
	t.Parallel()
	const ref = "drydock-test/volume:latest"
	importImage(t, ref, sharedFiles(t, "/bin/dash", "/usr/bin/id"), "VOLUME /workspace", "ENV PATH=/bin:/usr/bin")
	t.Cleanup(func() {
		_, err := api(t).ImageRemove(context.Background(), ref, image.RemoveOptions{Force: true})
		assert.NilError(t, err)
	})
	box := newBox(t, "test-volume", func(p *sandbox.Policy) { p.Image = ref })
	_, err := box.WriteFile(t.Context(), "/workspace/f", []byte("x"), wire.WriteOptions{})
	assert.NilError(t, err)
	assert.Equal(t, len(furnished(t, ref)), 0)
	assert.NilError(t, box.Close(t.Context()))
}
