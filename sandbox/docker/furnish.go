package docker

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/image"
	"github.com/docker/docker/client"

	"drydock/sandbox"
)

// Labels of a furnished image.
const (
	labelFurnished = "drydock.furnished"      // the key of what is in it
	labelBase      = "drydock.furnished-for"  // the reference of the image below it
	labelFrom      = "drydock.furnished-from" // the id that had the reference
)

// furnishedRepository holds the images that have the guest in them already.
const furnishedRepository = "drydock/sandbox"

// furnishedImage makes sure that there is the image of a policy with the guest
// in it, one small layer above. Bringing the guest into each container anew
// takes the engine longer than creating the container does.
//
// It returns "" where that cannot be done, for whatever reason: the container
// is then furnished by itself.
func (e *Engine) furnishedImage(ctx context.Context, spec sandbox.Spec, guest []byte) string {
	base, err := e.cli.ImageInspect(ctx, spec.Policy.Image)
	if err != nil || base.Config == nil || coversFurniture(base.Config.Volumes, spec) {
		return ""
	}
	key := furnishedKey(base.ID, guest)
	ref := furnishedRepository + ":" + furnishedKey(key, fmt.Append(nil, furnishedDirs(spec)))
	if _, err := e.cli.ImageInspect(ctx, ref); err == nil {
		return ref
	}
	if err := e.makeFurnished(ctx, base, spec, guest, key, ref); err != nil {
		return ""
	}
	e.dropFurnished(ctx, spec.Policy.Image, key)
	return ref
}

// coversFurniture says whether a volume of the image would hide what the layer
// brings.
func coversFurniture(volumes map[string]struct{}, spec sandbox.Spec) bool {
	for _, dir := range furnishedDirs(spec) {
		for v := range volumes {
			if v = path.Clean(v); dir.path == v || strings.HasPrefix(dir.path, v+"/") {
				return true
			}
		}
	}
	return false
}

// furnishedKey stands for the image below and for what the layer is made of.
// Variants that differ in the user alone have their base and guest in common,
// and live side by side.
func furnishedKey(base string, content []byte) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%s\n%x\n", base, sha256.Sum256(content))
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// makeFurnished makes the image by loading one layer above those the engine has.
// An image archive may leave out the layers that are there already. Committing
// a container would do as well, but some storage drivers compare the whole file
// system for that, which takes them many seconds.
func (e *Engine) makeFurnished(ctx context.Context, base image.InspectResponse, spec sandbox.Spec, guest []byte, key, ref string) error {
	layer, err := furniture(spec, guest)
	if err != nil {
		return fmt.Errorf("pack the guest: %w", err)
	}
	archive, err := furnishedArchive(base, layer.Bytes(), map[string]string{
		labelFurnished: key, labelBase: spec.Policy.Image, labelFrom: base.ID,
	}, ref)
	if err != nil {
		return fmt.Errorf("pack the image: %w", err)
	}
	resp, err := e.cli.ImageLoad(ctx, archive, client.ImageLoadWithQuiet(true))
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	defer resp.Body.Close()
	return readMessages(resp.Body, func(imageMessage) {})
}

// furnishedArchive is an image in the format of docker save, with only its last
// layer in it.
func furnishedArchive(base image.InspectResponse, layer []byte, labels map[string]string, ref string) (io.Reader, error) {
	config := *base.Config
	config.Labels = labels
	diffs := append(slices.Clone(base.RootFS.Layers), "sha256:"+hex.EncodeToString(sum(layer)))
	var names []string
	for i := range diffs {
		names = append(names, fmt.Sprintf("layer%d.tar", i))
	}
	described, err := json.Marshal(map[string]any{
		"architecture": base.Architecture, "os": base.Os, "created": base.Created, "config": config,
		"rootfs": map[string]any{"type": "layers", "diff_ids": diffs},
	})
	if err != nil {
		return nil, err
	}
	manifest, err := json.Marshal([]map[string]any{{"Config": "config.json", "RepoTags": []string{ref}, "Layers": names}})
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, f := range []struct {
		name string
		data []byte
	}{{"config.json", described}, {"manifest.json", manifest}, {names[len(names)-1], layer}} {
		if err := w.WriteHeader(&tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.data))}); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	return &buf, w.Close()
}

func sum(data []byte) []byte {
	h := sha256.Sum256(data)
	return h[:]
}

// dropFurnished removes the furnished images made for a reference but the one
// to keep. What a container still uses stays, as the engine sees to.
func (e *Engine) dropFurnished(ctx context.Context, base, keep string) {
	list, err := e.listFurnished(ctx, base)
	if err != nil {
		return
	}
	for _, img := range list {
		if img.Labels[labelFurnished] == keep {
			continue
		}
		for _, tag := range furnishedTags(img) {
			_, _ = e.cli.ImageRemove(ctx, tag, image.RemoveOptions{PruneChildren: true})
		}
	}
}
