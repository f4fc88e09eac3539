package tools

import (
	"fmt"
	"maps"
)

// With is the registry with more tools behind its own. One with the name of
// another is an error.
func (r *Registry) With(more ...Tool) (*Registry, error) {
	all, err := NewRegistry(append(append([]Tool(nil), r.order...), more...)...)
	if err != nil {
		return nil, fmt.Errorf("add tools: %w", err)
	}
	maps.Copy(all.absent, r.absent)
	return all, nil
}
