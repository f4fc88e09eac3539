package docker

import (
	"context"

	"github.com/docker/docker/api/types/image"
)

// PullProgress is how far a pull has come.
type PullProgress struct {
	Status  string // the engine's word for what it does, for example Downloading
	Current int64  // bytes downloaded, over all layers
	Total   int64  // bytes to download, of the layers known so far
}

// PullImage downloads an image from its registry. The first report comes when
// the registry has answered for that image. Credentials are not sent. An image
// that cannot be pulled is a *sandbox.ImageError with the engine's reason.
func (e *Engine) PullImage(ctx context.Context, ref string, report func(PullProgress)) error {
	body, err := e.cli.ImagePull(ctx, ref, image.PullOptions{})
	if err != nil {
		return imageErr("pull", ref, err)
	}
	defer body.Close()
	meter := pullMeter{layers: map[string]layerBytes{}}
	err = readMessages(body, func(msg imageMessage) { report(meter.add(msg)) })
	if ctx.Err() != nil {
		err = ctx.Err() // the stream only says that it broke off
	}
	if err != nil {
		return imageErr("pull", ref, err)
	}
	return nil
}

type layerBytes struct{ current, total int64 }

// pullMeter adds up the layers, which the engine reports one by one.
type pullMeter struct{ layers map[string]layerBytes }

func (m *pullMeter) add(msg imageMessage) PullProgress {
	layer := m.layers[msg.ID]
	switch msg.Status {
	case "Downloading":
		layer = layerBytes{msg.Progress.Current, msg.Progress.Total}
	case "Verifying Checksum", "Download complete", "Pull complete":
		layer.current = layer.total
	}
	if layer.total > 0 {
		m.layers[msg.ID] = layer
	}
	p := PullProgress{Status: msg.Status}
	for _, l := range m.layers {
		p.Current += l.current
		p.Total += l.total
	}
	return p
}
