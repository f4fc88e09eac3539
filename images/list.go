package images

import (
	"context"
	"errors"
	"time"

	"drydock/sandbox/docker"
)

// Status is the state of one of drydock's own images on the engine.
type Status struct {
	Name     string    `json:"name"` // short name
	Ref      string    `json:"ref"`
	Present  bool      `json:"present"`
	UpToDate bool      `json:"up_to_date"` // made from the recipe that this drydock has
	ID       string    `json:"id,omitempty"`
	Size     int64     `json:"size,omitempty"` // bytes
	Created  time.Time `json:"created,omitzero"`
	Version  string    `json:"version,omitempty"` // the drydock that built it
	Digest   string    `json:"digest,omitempty"`  // of the recipe it was made from
}

// List tells the state of every image that drydock has, in the order of Names.
func (b *Builder) List(ctx context.Context) ([]Status, error) {
	var all []Status
	for _, name := range Names() {
		s, err := b.status(ctx, name)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func (b *Builder) status(ctx context.Context, name string) (Status, error) {
	recipe, err := NewRecipe(name, b.arch)
	if err != nil {
		return Status{}, err
	}
	s := Status{Name: name, Ref: recipe.Ref}
	img, err := b.engine.InspectImage(ctx, recipe.Ref)
	if errors.Is(err, docker.ErrImageMissing) {
		return s, nil
	}
	if err != nil {
		return Status{}, err
	}
	s.Present, s.UpToDate = true, upToDate(img, recipe)
	s.ID, s.Size, s.Created = img.ID, img.Size, img.Created
	s.Version, s.Digest = img.Labels[LabelVersion], img.Labels[LabelDigest]
	return s, nil
}
